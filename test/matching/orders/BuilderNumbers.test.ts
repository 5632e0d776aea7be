import * as Market from "@venue/matching/Market"
import * as OrderPool from "@venue/matching/book/OrderPool"
import { assert, it } from "@effect/vitest"
import { apple } from "../EngineScene.ts"

it("each builder code gets its own number, and further codes get none once all numbers are used", () => {
  const market = Market.make(apple, Market.defaults)
  assert.deepStrictEqual(
    ["", "a", "b", "a"].map((code) => Market.builderNumber(market, code)),
    [0, 1, 2, 1]
  )
  market.builderCodes.length = OrderPool.maxBuilderCodes - 1
  const last = Market.builderNumber(market, "last")
  assert.strictEqual(last, OrderPool.maxBuilderCodes - 1)
  assert.strictEqual(Market.builderNumber(market, "one too many"), 0)
  assert.deepStrictEqual(
    ["a", "last"].map((code) => Market.builderNumber(market, code)),
    [1, last]
  )
})
