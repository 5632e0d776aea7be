/** A month of trading on the pure state machines; `VENUE_MONTHS` sets the number of months. */
import type { MarketEvent } from "@venue/domain/Market"
import { assert, it } from "@effect/vitest"
import * as Month from "./Month.ts"
import { play } from "./MonthPlay.ts"
import { assertNight, assertReplayed } from "./MonthChecks.ts"

const months = Number(process.env["VENUE_MONTHS"] ?? 1)

const isSlice = (event: MarketEvent): boolean => event._tag === "Accepted" && event.order.origin === "LIQUIDATION"

for (let seed = 1; seed <= months; seed++) {
  it(
    `I6 I10 I25 I26 I28 I32: in simulated month ${seed}, sums are zero and the ledgers match the reference models`,
    { timeout: 900_000 },
    () => {
      const month = Month.make(seed)
      let nights = 0
      play(month, () => {
        assertNight(month)
        nights++
      })
      assertReplayed(month)
      assert.strictEqual(nights, 31)
      const events = month.markets.flatMap(({ log }) => log)
      const count = (isCounted: (event: MarketEvent) => boolean) => events.filter(isCounted).length
      const seen = {
        trades: count((event) => event._tag === "Traded"),
        stops: count((event) => event._tag === "Triggered"),
        hours: count((event) => event._tag === "Funded" && event.remainder > 0),
        dividends: count((event) => event._tag === "DividendPaid"),
        splits: count((event) => event._tag === "ContractSplit"),
        states: count((event) => event._tag === "TradingStateChanged"),
        liquidations: count((event) => event._tag === "TakeoverOpened" || isSlice(event)),
        ends: count((event) => event._tag === "SettlementBegan")
      }
      const least = {
        trades: 1_000,
        stops: 30,
        hours: 30,
        dividends: 3,
        splits: 1,
        states: 100,
        liquidations: 1,
        ends: 1
      }
      for (const [what, times] of Object.entries(least)) assert.isAtLeast(seen[what as keyof typeof seen], times, what)
    }
  )
}
