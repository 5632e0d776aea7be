/** Tests of a market maker's target quotes, and of the commands that change the present quotes into them. */
import { expect, it } from "vitest"
import type { Listing } from "../../../apps/dev/Listing.ts"
import { plan, type QuoteTerms, usualTerms, wanted, type Working } from "../../../apps/dev/Quotes.ts"

const apple: Listing = {
  symbol: "AAPL-USD",
  ticksPerUnit: 100,
  lotsPerUnit: 1_000,
  minLots: 100,
  maxLots: 1e8,
  maxLeverage: 10
}
const terms: QuoteTerms = usualTerms

const resting = (changes: Partial<Working> = {}): ReadonlyArray<Working> =>
  wanted(apple, 200, 0, terms).map((quote) => ({
    ...quote,
    clientOrderId: `c-${quote.slot}`,
    orderId: `o-${quote.slot}`,
    remainingLots: quote.lots,
    state: "Resting",
    sinceMillis: 0,
    ...changes
  }))

it("places bids below the mark and offers above it, each level further away than the last", () => {
  for (const mark of [200, 200.005, 199.994]) {
    const quotes = wanted(apple, mark, 0, terms)
    const bids = quotes.filter(({ side }) => side === "BUY").map(({ ticks }) => ticks)
    const asks = quotes.filter(({ side }) => side === "SELL").map(({ ticks }) => ticks)
    expect(bids).toHaveLength(3)
    expect(asks).toHaveLength(3)
    expect(bids[0]).toBeLessThan(mark * 100)
    expect(asks[0]).toBeGreaterThan(mark * 100)
    expect(bids).toEqual([...new Set(bids)].sort((a, b) => b - a))
    expect(asks).toEqual([...new Set(asks)].sort((a, b) => a - b))
  }
})

it("quotes three different prices on each side even if the tick is coarse", () => {
  const coarse = { ...apple, ticksPerUnit: 1 }
  expect(
    wanted(coarse, 200, 0, terms)
      .filter(({ side }) => side === "BUY")
      .map(({ ticks }) => ticks)
  ).toEqual([199, 198, 197])
})

it("at the position limit, stops quoting the side that would increase the position", () => {
  const full = (terms.maxInventoryUsd / 200) * 1_000
  expect(wanted(apple, 200, full, terms).every(({ side }) => side === "SELL")).toBe(true)
  expect(wanted(apple, 200, -full, terms).every(({ side }) => side === "BUY")).toBe(true)
})

it("lowers its quotes while its position is long, so that the position is sold", () => {
  const best = (position: number) => wanted(apple, 200, position, terms).find(({ side }) => side === "SELL")!.ticks
  expect(best(400_000)).toBeLessThan(best(0))
})

it("changes nothing while every quote is within its tolerance", () => {
  expect(plan(wanted(apple, 200, 0, terms), resting(), terms, 1_000)).toEqual([])
  expect(plan(wanted(apple, 200.01, 0, terms), resting(), terms, 1_000)).toEqual([])
})

it("adds a missing quote, and cancels a quote that is no longer wanted", () => {
  const wants = wanted(apple, 200, 0, terms)
  expect(plan(wants, resting().slice(1), terms, 1_000)).toEqual([{ _tag: "Add", quote: wants[0] }])
  expect(plan([], resting(), terms, 1_000).map(({ _tag }) => _tag)).toEqual(Array(6).fill("Cancel"))
})

it("moves offers before bids when the mark rises, and bids before offers when the mark falls", () => {
  const sides = (mark: number) =>
    plan(wanted(apple, mark, 0, terms), resting(), terms, 1_000).map(
      (action) => action._tag === "Move" && action.working.side
    )
  expect(sides(201)).toEqual(["SELL", "SELL", "SELL", "BUY", "BUY", "BUY"])
  expect(sides(199)).toEqual(["BUY", "BUY", "BUY", "SELL", "SELL", "SELL"])
})

it("cancels a half-filled quote, so that a full quote can replace it", () => {
  const has = resting().map((order, index) => (index === 0 ? { ...order, remainingLots: order.lots / 2 } : order))
  expect(plan(wanted(apple, 200, 0, terms), has, terms, 1_000)).toEqual([{ _tag: "Cancel", working: has[0] }])
})

it("does not change a quote with an in-flight command before the response is overdue", () => {
  const has = resting({ state: "Sending", orderId: "", sinceMillis: 0 })
  expect(plan([], has, terms, 9_000)).toEqual([])
  expect(plan(wanted(apple, 210, 0, terms), has, terms, 9_000)).toEqual([])
  expect(plan([], has, terms, 11_000).map(({ _tag }) => _tag)).toEqual(Array(6).fill("Cancel"))
})
