/** Tests of random accounts close to liquidation, compared with a twin that recomputes everything. */
import { primaryAccountOf } from "@venue/domain/AccountId"
import { assert, test } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { checkLiquidation } from "./LiquidationChecks.ts"
import { aapl, alice, gold, instruments, make } from "./Scene.ts"
import type * as Twin from "./Twin.ts"
import * as TwinLiquidation from "./TwinLiquidation.ts"

const account = primaryAccountOf(alice)
const symbols = [aapl, gold]

const held = FastCheck.record({
  /** Signed lots. */
  lots: FastCheck.integer({ min: -60_000, max: 60_000 }),
  level: FastCheck.nat(29),
  /** How much worse than the mark the position's entry price is, in hundredths of a percent. */
  loss: FastCheck.integer({ min: 2_000, max: 5_000 }),
  /** Offset from a round price, in 1e-8 USD. */
  mark: FastCheck.integer({ min: -1_000_000_000, max: 1_000_000_000 })
})
/** Equity in hundredths of a percent of the maintenance margin. */
const equity = FastCheck.integer({ min: -5_000, max: 30_000 })

test("rule 9: liquidation commands, takeover reports and thresholds match the reference model for 2,000 random accounts", () => {
  const seen = { Liquidate: 0, OpenTakeover: 0, none: 0 }
  FastCheck.assert(
    FastCheck.property(FastCheck.tuple(held, held), equity, (positions, share) => {
      const scene = make()
      const twin: Twin.Twin = {
        instruments,
        symbols,
        deposits: new Map([[alice, 0n]]),
        leverages: new Map(),
        marks: new Map(),
        tier: { day: 0, volume: 0n },
        orders: [],
        fills: [],
        payments: [],
        rewards: null
      }
      positions.forEach(({ level, lots, loss, mark }, index) => {
        const symbol = symbols[index]!
        const instrument = instruments.get(symbol)!
        const markE8 = (index === 0 ? 20_000_000_000 : 340_000_000_000) + mark
        scene.price(symbol, markE8 / 1e8)
        const leverage = 1 + (level % instrument.maxLeverage)
        scene.ask({ _tag: "SetLeverage", accountId: account, symbol, leverage })
        twin.marks.set(symbol, scene.prices.get(symbol)!.markE8)
        twin.leverages.set(`${account} ${symbol}`, leverage)
        if (lots === 0) return
        const side = lots > 0 ? "BUY" : "SELL"
        const ticks = Math.round((markE8 * (lots > 0 ? 10_000 + loss : 10_000 - loss)) / 10_000 / instrument.tickE8)
        const notional = scene.holdLots(lots, ticks, symbol)
        twin.fills.push({ accountId: account, symbol, side, lots: Math.abs(lots), notional, fee: 0 })
      })
      const missing = TwinLiquidation.missing(twin, account, share)
      if (missing > 0n) {
        scene.ask({ _tag: "Credit", creditId: "credit", accountId: account, amount: missing, reason: "" })
        twin.deposits.set(alice, missing)
      }
      seen[checkLiquidation(scene.trader, twin, account)]++
    }),
    { numRuns: 2_000 }
  )
  assert.isTrue(seen.Liquidate > 100 && seen.OpenTakeover > 100 && seen.none > 100, JSON.stringify(seen))
})
