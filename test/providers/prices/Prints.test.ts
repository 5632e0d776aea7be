/** Tests of how prices are read from the responses of sources. */
import { read } from "@venue/providers/prices/Prints"
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

const one = (fields: Parameters<typeof read>[0], body: unknown) =>
  read(fields, JSON.stringify(body)).map(({ contract, priceE8 }) => `${contract} ${priceE8 / 1e8}`)

it("reads a list, a record with one price per contract, and a single price by the configured fields", () => {
  const quotes = [
    { s: "AAPL", q: { last: 200.5 } },
    { s: "MSFT", q: { last: "420.25" } }
  ]
  assert.deepStrictEqual(one({ contract: "s", price: "q.last" }, quotes), ["AAPL 200.5", "MSFT 420.25"])
  assert.deepStrictEqual(one({ items: "data.quotes", contract: "s", price: "q.last" }, { data: { quotes } }), [
    "AAPL 200.5",
    "MSFT 420.25"
  ])
  assert.deepStrictEqual(one({ items: "rates", price: "" }, { rates: { EUR: 1.085, GBP: 1.27 } }), [
    "EUR 1.085",
    "GBP 1.27"
  ])
  assert.deepStrictEqual(one({ contract: "symbol", price: "price" }, { symbol: "CLZ6", price: 71.2 }), ["CLZ6 71.2"])
})

it("I29: skips prices of zero or less and above ten million, and reads the other prices in the response", () => {
  const bad = [0, -1, -200, null, "NaN", "", "1e3", "-5", "0x10", true, {}, [], 1e-9, 10_000_001, 1e300]
  const body = Object.fromEntries([...bad, 7].map((price, at) => [`c${at}`, price]))
  assert.deepStrictEqual(one({ price: "" }, body), [`c${bad.length} 7`])
  assert.deepStrictEqual(read({ contract: "s", price: "p" }, '[{"s":"A","p":NaN}]'), [])
  assert.deepStrictEqual(read({ contract: "s", price: "p" }, '[{"s":5,"p":5},{"p":5},null,3,"text"]'), [])
})

it("reads no price through a path to an inherited member such as constructor", () => {
  assert.deepStrictEqual(one({ contract: "s", price: "constructor.length" }, [{ s: "A" }]), [])
  assert.deepStrictEqual(one({ items: "__proto__", price: "p" }, { p: 1 }), [])
})

it("reads any response without throwing, and returns only positive integers", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.json().map(cut)), (text) => {
      for (const fields of [{ price: "" }, { contract: "a", price: "b" }, { items: "a", price: "b.0" }]) {
        for (const { priceE8 } of read(fields, text)) assert.isTrue(Number.isSafeInteger(priceE8) && priceE8 > 0)
      }
    })
  )
})

const cut = (text: string) => text.slice(0, -1)
