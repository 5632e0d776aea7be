/** The generated benchmark flow equals the published one. */
import { expect, it } from "vitest"
import { makeFlow } from "./Flow.ts"

it("generates the benchmark's order flow F1 with the published control totals", () => {
  expect(makeFlow().totals).toEqual({
    trades: 395_539,
    volume: 15_026_970,
    notional: 984_757_067_512,
    resting: 13_584,
    bid: 65_523,
    ask: 65_526
  })
})

it("generates the benchmark's order flow F1s with the published control totals", () => {
  expect(makeFlow(1_000_000, 1_000).totals).toEqual({
    trades: 395_329,
    volume: 15_025_912,
    notional: 984_092_519_837,
    resting: 4_988,
    bid: 65_477,
    ask: 65_481
  })
})
