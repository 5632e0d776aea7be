/** A month on the machines alone; `VENUE_MONTHS` says how many. */
import type { MarketEvent } from "@venue/domain/Market"
import { assert, it } from "@effect/vitest"
import * as Month from "./Month.ts"
import { assertNight, assertReplayed } from "./MonthChecks.ts"

const months = Number(process.env["VENUE_MONTHS"] ?? 1)

for (let seed = 1; seed <= months; seed++) {
  it(
    `I6 I10 I25 I26 I32: in month ${seed} of three markets all sums are zero after every event, each night ledgers and markets are as their twins, and replay gives the same`,
    { timeout: 60_000 },
    () => {
      const month = Month.make(seed)
      let nights = 0
      Month.play(month, () => {
        assertNight(month)
        nights++
      })
      assertReplayed(month)
      assert.strictEqual(nights, 31)
      const events = month.markets.flatMap(({ log }) => log)
      const count = (isCounted: (event: MarketEvent) => boolean) => events.filter(isCounted).length
      assert.isAbove(
        count(({ _tag }) => _tag === "Traded"),
        1_000
      )
      assert.isAbove(
        count(({ _tag }) => _tag === "Triggered"),
        30
      )
      assert.isAbove(
        count((event) => event._tag === "Funded" && event.remainder > 0),
        30
      )
      assert.isAbove(
        count(({ _tag }) => _tag === "DividendPaid"),
        3
      )
      assert.isAbove(
        count(({ _tag }) => _tag === "TradingStateChanged"),
        100
      )
    }
  )
}
