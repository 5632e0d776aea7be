/** Compares liquidation in the ledger with the twin. */
import type { AccountId } from "@venue/domain/AccountId"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Headroom from "@venue/ledger/Headroom"
import type * as Ledger from "@venue/ledger/Ledger"
import * as Liquidation from "@venue/ledger/Liquidation"
import { assert } from "@effect/vitest"
import * as Twin from "./Twin.ts"
import * as TwinLiquidation from "./TwinLiquidation.ts"

/**
 * Compares the next liquidation command, the report to takeovers and the thresholds. Returns the liquidation command.
 */
export const checkLiquidation = (trader: Ledger.Trader, twin: Twin.Twin, accountId: AccountId) => {
  const account = trader.accounts.get(accountId)!
  const marks = new Map(twin.marks)
  Headroom.thresholds(account, trader.prices, (exposure, markE8) => {
    const { instrument, position } = exposure
    if (position.quantityLots > 0) marks.set(instrument.symbol, Math.max(1, markE8 + 1))
    else marks.set(instrument.symbol, markE8 - 1)
    const { mayLose, ratioE6 } = Liquidation.stand(account, exposure)
    const share = TwinLiquidation.share(twin, accountId, instrument.symbol)
    assert.strictEqual(BigInt(mayLose), share > 0n ? share : 0n)
    assert.strictEqual(BigInt(ratioE6), TwinLiquidation.ratioE6(twin, accountId))
  })
  if (!Twin.isInLiquidation(twin, accountId))
    assert.isFalse(Twin.isInLiquidation({ ...twin, marks }, accountId), "nothing happens before a threshold is reached")
  const measure = Liquidation.measure(account, () => true)
  checkMeasure(measure, twin, accountId)
  return measure?.measure._tag ?? "none"
}

const checkMeasure = (next: ReturnType<typeof Liquidation.measure>, twin: Twin.Twin, accountId: AccountId) => {
  const expected = TwinLiquidation.measure(twin, accountId)
  if (next === undefined || expected === undefined) return assert.strictEqual<unknown>(next, expected)
  const { measure } = next
  const symbol: MarketSymbol = next.exposure.instrument.symbol
  assert.strictEqual(symbol, expected.symbol)
  if (measure._tag === "OpenTakeover") return assert.strictEqual(BigInt(measure.share), expected.share)
  const lots = BigInt(measure.quantityLots)
  assert.strictEqual(BigInt(measure.priceTicks), expected.priceTicks)
  assert.isFalse(TwinLiquidation.restores(twin, accountId, symbol, lots - 1n), "a lot less does not do")
  if (lots < expected.held!) assert.isTrue(TwinLiquidation.restores(twin, accountId, symbol, lots))
}
