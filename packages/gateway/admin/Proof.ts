/** Proof that the books balance: sums that are zero unless money was created or lost. */
import { instant } from "@venue/api/Digits"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Instrument, quantityOf } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import { Clock, Effect } from "effect"

export const of = Effect.fn("Proof.of")(function* (
  instruments: ReadonlyMap<MarketSymbol, Instrument>,
  markets: MarketClient["Service"],
  tables: ReadTables["Service"]
) {
  const totals = yield* Effect.forEach(
    instruments.values(),
    (instrument) => Effect.map(markets.totals(instrument.symbol), (sums) => ({ instrument, ...sums })),
    { concurrency: 8 }
  )
  const sums = yield* tables.read(LedgerEntries.sumByAsset)
  // All markets hold cash in one asset. Each market is also checked alone, because errors of two markets could cancel
  // out in the sum.
  const cash = totals.reduce((sum, market) => sum + BigInt(market.cash), 0n)
  const assets = new Map([[settlementAsset, cash]])
  for (const { asset, sum } of sums) assets.set(asset, (assets.get(asset) ?? 0n) + sum)
  return {
    balanced:
      totals.every((market) => market.positions === 0 && market.cash === 0) && sums.every(({ sum }) => sum === 0n),
    assets: Array.from(assets, ([asset, sum]) => ({ asset, sum: decimalOfMoney(sum) })),
    positions: totals.map(({ instrument, positions }) => ({
      symbol: instrument.symbol,
      sum: quantityOf(instrument, positions)
    })),
    reserve_funds: totals.map(({ instrument, reserveFund, toppedUp }) => ({
      symbol: instrument.symbol,
      amount: decimalOfMoney(reserveFund),
      topped_up: decimalOfMoney(toppedUp)
    })),
    at: instant(yield* Clock.currentTimeMillis)
  }
})

const settlementAsset = "USD"
