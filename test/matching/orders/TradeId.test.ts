/** Trade ids: unique and permanent. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { ofTrade, salt } from "@venue/matching/orders/TradeId"
import { assert, it } from "@effect/vitest"

const apple = salt(MarketSymbol.make("AAPL-USD"))
const amazon = salt(MarketSymbol.make("AMZN-USD"))

it("I21: no two trades share an id, within one market or across markets", () => {
  const ids = new Set<string>()
  for (let number = 1; number <= 100_000; number++) {
    for (const market of [apple, amazon]) {
      const { text } = ofTrade(number, market)
      if (!isVersion4.test(text)) assert.fail(`${text} of trade ${number}`)
      ids.add(text)
    }
  }
  assert.strictEqual(ids.size, 200_000)
})

it("I6: a trade keeps the same id in every release", () => {
  assert.strictEqual(ofTrade(1, apple).text, "6e9de0ae-edff-410f-a4a2-c916ddc1bafd")
  assert.strictEqual(ofTrade(2 ** 33, apple).text, "557ff004-edff-410f-a4a2-c916a9248644")
})

const isVersion4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
