/** Tests of the open interest of all markets together, as a desk computes it from the markets' prices (rule 6.7). */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { assert, test } from "@effect/vitest"
import { aapl, make } from "./Scene.ts"

const euro = MarketSymbol.make("EUR-USD")

/** Two markets with 49,999,991,600 USD together. */
const nearlyFull = () => {
  const scene = make()
  scene.credit(10_000_000)
  scene.price(euro, 1.085, 40_000_000_000)
  scene.price(aapl, 204, 32_352_900_000)
  return scene
}

test("rule 6.7: accepts 41 more AAPL at 204 with 49,999,991,600 USD of open interest, and refuses 42", () => {
  const scene = nearlyFull()
  assert.isNull(scene.placed("BUY", 41, 200).finding)
  assert.strictEqual(scene.placed("BUY", 42, 200).finding, "REJECTED_TOTAL_OPEN_INTEREST_LIMIT")
  assert.strictEqual(scene.placed("SELL", 42, 210).finding, "REJECTED_TOTAL_OPEN_INTEREST_LIMIT")
})

test("holds no margin for an order that the open-interest limit refuses", () => {
  const scene = nearlyFull()
  scene.placed("BUY", 42, 200)
  assert.strictEqual(scene.balance().orderMargin, 0n)
})

test("exempts orders that only reduce a position from the open-interest limit", () => {
  const scene = nearlyFull()
  scene.hold(50, 204)
  assert.isNull(scene.placed("SELL", 50, 204).finding)
  assert.isNull(scene.placed("SELL", 42, 204, { reduceOnly: true }).finding)
  assert.strictEqual(scene.placed("SELL", 42, 204).finding, "REJECTED_TOTAL_OPEN_INTEREST_LIMIT")
})

test("applies the open-interest limit to a modify that makes an order larger, and exempts a modify that makes it smaller", () => {
  const scene = nearlyFull()
  const order = scene.accept(scene.placed("BUY", 41, 200))
  assert.deepInclude(scene.modification(order, 0, 42), { finding: "REJECTED_TOTAL_OPEN_INTEREST_LIMIT" })
  scene.price(euro, 1.085, 41_000_000_000)
  assert.deepInclude(scene.modification(order, 0, 40), { finding: null })
})

test("a market's latest open interest replaces its previous one", () => {
  const scene = nearlyFull()
  scene.price(euro, 1.085, 30_000_000_000)
  assert.isNull(scene.placed("BUY", 42, 200).finding)
  scene.price(euro, 1.45, 30_000_000_000)
  assert.strictEqual(scene.placed("BUY", 42, 200).finding, "REJECTED_TOTAL_OPEN_INTEREST_LIMIT")
})

test("checks the open-interest limit after the open-order limit and before the margin", () => {
  const full = nearlyFull()
  const poor = make({ maxOpenOrdersPerAccount: 0 })
  poor.price(euro, 1.085, 40_000_000_000)
  poor.price(aapl, 204, 32_352_900_000)
  assert.strictEqual(poor.placed("BUY", 42, 200).finding, "REJECTED_TOO_MANY_OPEN_ORDERS")
  assert.strictEqual(full.placed("BUY", 100_000, 200).finding, "REJECTED_TOTAL_OPEN_INTEREST_LIMIT")
})
