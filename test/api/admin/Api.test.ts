/** Tests of the operator interface's request bodies. */
import { Credit } from "@venue/api/admin/Api"
import { Proof } from "@venue/api/admin/Proof"
import { microsOf } from "@venue/api/Usd"
import { SetPrice } from "@venue/api/admin/Prices"
import { AdminApi } from "@venue/api/admin/Api"
import { describe, expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { OpenApi } from "effect/http-api"

const account_id = "3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"
const isCredit = Schema.is(Credit)
const isPrice = Schema.is(SetPrice)

describe("a credit", () => {
  it("accepts a positive or negative credit that is a multiple of 1e-6 USD", () => {
    for (const amount of [100_000, 0.000001, -12.5, 123.456789]) {
      expect(isCredit({ account_id, amount, reason: "demo" })).toBe(true)
    }
    expect(microsOf(123.456789)).toBe(123_456_789)
    expect(microsOf(-0.1)).toBe(-100_000)
  })

  it("refuses a credit with an invalid amount, an invalid account or an empty reason", () => {
    for (const amount of [0, 0.0000001, 1.2345678, 1e10, NaN, Infinity]) {
      expect(isCredit({ account_id, amount, reason: "demo" })).toBe(false)
    }
    expect(isCredit({ account_id: "alice", amount: 1, reason: "demo" })).toBe(false)
    expect(isCredit({ account_id, amount: 1, reason: "" })).toBe(false)
  })
})

it("refuses a price that is not above 0", () => {
  expect(isPrice({ symbol: "GOLD-USD", price: 3410.87 })).toBe(true)
  for (const price of [0, -1, NaN, Infinity, "1"]) expect(isPrice({ symbol: "GOLD-USD", price })).toBe(false)
})

it("accepts credits and prices as decimal text, within the same bounds as numbers", () => {
  const credit = (amount: unknown) => Schema.decodeUnknownOption(Credit)({ account_id, amount, reason: "demo" })
  expect(credit("-123.456789")).toMatchObject({ value: { amount: -123.456789 } })
  for (const amount of ["0", "1.2345678", "10000000000", "1e3", "+1"]) expect(Option.isNone(credit(amount))).toBe(true)
  const price = (text: string) => Schema.decodeUnknownOption(SetPrice)({ symbol: "GOLD-USD", price: text })
  expect(price("3410.870")).toMatchObject({ value: { price: 3410.87 } })
  for (const text of ["0", "-1", "10000001"]) expect(Option.isNone(price(text))).toBe(true)
})

it("the Schema of the check of the books accepts an example", () =>
  expect(
    Schema.is(Proof)({
      balanced: true,
      assets: [{ asset: "USD", sum: 0 }],
      positions: [{ symbol: "GOLD-USD", sum: 0 }],
      reserve_funds: [{ symbol: "GOLD-USD", amount: 0.000001, topped_up: 0 }],
      rails: [
        {
          rail: "BANK",
          asset: "USD",
          simulated: true,
          position: null,
          as_of: null,
          holdings: null,
          books: null,
          difference: null,
          uncredited: null,
          in_flight: 1.5
        }
      ],
      suspense: 0,
      uncovered: { total: -3.5, operator_credits: 1, reserve_funds: 0.5, simulated_rails: -5 },
      at: "2026-09-27T14:40:44.118Z"
    })
  ).toBe(true))

it("requires an operator's token for every operation except health checks", () => {
  const { paths } = OpenApi.fromApi(AdminApi)
  expect(paths["/prices"]?.post?.security).toEqual([{ operator: [] }])
  expect(paths["/credits"]?.post?.security).toEqual([{ operator: [] }])
  expect(paths["/proof"]?.get?.security).toEqual([{ operator: [] }])
  expect(paths["/health/live"]?.get?.security).toEqual([])
})
