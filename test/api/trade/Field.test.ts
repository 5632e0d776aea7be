/** Tests of numbers in commands, as JSON numbers and as decimal text. */
import { plain } from "@venue/api/Digits"
import { type Command, decode } from "@venue/api/trade/Command"
import { describe, expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import * as fc from "fast-check"

type Fields = Readonly<Record<string, unknown>>

const order = { symbol: "GOLD-USD", side: "BUY", order_type: "LIMIT", order_time_in_force: "GTC" }
const resting = { symbol: "GOLD-USD", order_id: "o-1", side: "BUY", order_type: "LIMIT", reduce_only: false }
const twap = { symbol: "GOLD-USD", side: "SELL", reduce_only: true }

/** Commands with numbers: decimal members, then whole-number members with their bounds. */
const commands: ReadonlyArray<
  readonly [string, Fields, ReadonlyArray<string>, Readonly<Record<string, readonly [number, number]>>]
> = [
  ["add_order", order, ["quantity", "price"], {}],
  ["modify_order", resting, ["price", "quantity"], {}],
  ["set_user_leverage", { symbol: "GOLD-USD" }, ["leverage"], {}],
  ["modify_stop_order", { symbol: "GOLD-USD", stop_order_id: "s-1" }, ["price", "quantity"], {}],
  ["add_twap", twap, ["total_quantity"], { num_orders: [2, 1_000], order_interval_secs: [30, 86_400] }],
  ["get_user_orders", {}, [], { limit: [1, 1_000], offset: [0, 100_000] }],
  ["get_user_leverage", {}, [], { limit: [1, 1_000], offset: [0, 100_000] }],
  ["get_available_leverage_levels", {}, [], { limit: [1, 1_000], offset: [0, 100_000] }],
  ["get_user_trades", {}, ["start_ts", "end_ts"], { limit: [1, 1_000], offset: [0, 100_000] }]
]

const signIn = (unix_ts: unknown): unknown => {
  const decoded = decode(
    JSON.stringify({ type: "auth", params: { hmac: { public_key: "k", nonce: "n", unix_ts, signature: "s" } } })
  )
  return decoded._tag === "Auth" && decoded.credential._tag === "Hmac"
    ? { ...decoded.credential, signature: Redacted.value(decoded.credential.signature) }
    : decoded
}

const read = (type: string, params: Fields): Command => {
  const decoded = decode(JSON.stringify({ type, params }))
  if (decoded._tag === "Malformed") throw new Error(decoded.message)
  return decoded
}

/** Numbers with up to eight decimals, as prices, quantities and times have. */
const decimal = fc
  .record({ units: fc.bigInt({ min: 0n, max: 10n ** 15n }), places: fc.integer({ min: 0, max: 8 }) })
  .map(({ places, units }) => Number(`${units}e-${places}`))

/** Adds leading and trailing zeros, as some libraries do. */
const written = (number: number): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom("", "0", "000"), fc.constantFrom("", "0", "00")).map(([before, after]) => {
    const text = plain(number)
    return `${before}${text}${after === "" ? "" : text.includes(".") ? after : `.${after}`}`
  })

const inBothForms = (number: fc.Arbitrary<number>) =>
  number.chain((value) => fc.tuple(fc.constant(value), written(value)))

describe("decodes decimal text to the same command as numbers", () => {
  for (const [type, fields, numbers, whole] of commands) {
    const given = fc.record({
      ...Object.fromEntries(numbers.map((name) => [name, inBothForms(decimal)])),
      ...Object.fromEntries(
        Object.entries(whole).map(([name, [min, max]]) => [name, inBothForms(fc.integer({ min, max }))])
      )
    }) as fc.Arbitrary<Readonly<Record<string, readonly [number, string]>>>
    it(type, () =>
      fc.assert(
        fc.property(given, (values) => {
          const form = (at: 0 | 1) =>
            read(type, {
              ...fields,
              ...Object.fromEntries(Object.entries(values).map(([name, forms]) => [name, forms[at]]))
            })
          expect(form(1)).toEqual(form(0))
        })
      )
    )
  }

  it("auth", () =>
    fc.assert(
      fc.property(inBothForms(fc.maxSafeNat()), ([number, text]) => {
        expect(signIn(text)).toEqual(signIn(number))
      })
    ))
})

it("refuses text that is not a number, and numbers with more digits than a double holds", () => {
  const texts = [
    "",
    " 1",
    "1 ",
    "+1",
    "1e3",
    "1E-3",
    ".5",
    "5.",
    "1,000",
    "0x10",
    "Infinity",
    "NaN",
    "--1",
    "١",
    "true",
    "1.00000000000000000001",
    "0.12345678901234567890",
    "9007199254740993",
    `1${"0".repeat(40)}`
  ]
  for (const quantity of texts) {
    expect(decode(JSON.stringify({ type: "add_order", params: { ...order, price: 1, quantity } }))).toMatchObject({
      _tag: "Malformed",
      code: "InvalidJSONFormat",
      message: expect.stringContaining("wrong field quantity: expected a JSON number, got ")
    })
  }
  for (const limit of ["ten", "1e2", ""]) {
    expect(decode(JSON.stringify({ type: "get_user_orders", params: { limit } }))).toMatchObject({
      code: "InvalidJSONFormat",
      message: `wrong field limit: expected a whole JSON number, got ${JSON.stringify(limit)}`
    })
  }
  expect(decode(JSON.stringify({ type: "get_user_orders", params: { limit: "2.5" } }))).toMatchObject({
    code: "InvalidParameter"
  })
  expect(signIn("now")).toMatchObject({
    code: "InvalidJSONFormat",
    message: "wrong field hmac.unix_ts: expected a whole number of Unix seconds, got a string"
  })
})

it("accepts decimal text, including 0, for the prices of attached stops", () => {
  const params = { ...order, quantity: "2.5", price: "3411.20", take_profit: "0", stop_loss: "0.00" }
  expect(read("add_order", params)).toMatchObject({ quantity: 2.5, price: 3411.2 })
  expect(decode(JSON.stringify({ type: "add_order", params: { ...params, stop_loss: "3375" } }))).toMatchObject({
    stopLoss: 3375
  })
})
