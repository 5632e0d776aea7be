/** Tests that a treasury request with several faults is refused with all of them. */
import { UserStates } from "@venue/storage/access/UserStates"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ask, RestClient } from "../rest/RestClient.ts"
import { details } from "./Bank.ts"
import { layer } from "./TreasuryClient.ts"

const asUser = Effect.fnUntraced(function* (name: string) {
  const { signed } = yield* RestClient
  const user = yield* (yield* TestVenue).user(name, 1_000)
  const call = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
    const { body: answer, status } = yield* ask(method, path, yield* signed(user), body)
    const faults: ReadonlyArray<{ readonly location: string; readonly message: string }> = answer.errors ?? []
    return {
      status,
      type: String(answer.type).split("/").at(-1),
      faults: faults.map(({ location, message }) => `${location}: ${message}`)
    }
  })
  return { call, user }
})

const required = [
  "first_name",
  "last_name",
  "routing_number",
  "bank_name",
  "account_number",
  "type",
  "street_line_1",
  "country",
  "city",
  "postal_code"
].map((member) => `body.${member}: ${member} is required: a string`)

it.effect("returns all faults of query and body in one 422 response, including a missing currency", () =>
  Effect.gen(function* () {
    const { call } = yield* asUser("ann")
    const currency = "query.currency: currency is required: usd"
    for (const body of [{}, undefined]) {
      const refused = yield* call("POST", "/bank-account", body)
      expect([refused.status, refused.faults.toSorted()]).toEqual([422, [...required, currency].toSorted()])
    }
    const odd = yield* call("POST", "/bank-account?currency=eur", { ...details, memo: "x" })
    expect(odd).toEqual({
      status: 422,
      type: "invalid-request",
      faults: ["query.currency: Expected the currency: usd", "body.memo: memo is not a member of this body"]
    })
    expect((yield* call("POST", "/withdraw", { network: "BITCOIN" })).faults.toSorted()).toEqual([
      "body.address: address is required: a string",
      "body.amount: amount is required: a number above 0",
      "body.network: Expected a network: ARBITRUM_ONE or TRON"
    ])
    expect((yield* call("GET", "/withdrawals?limit=0&offset=x")).faults.map((fault) => fault.split(":")[0])).toEqual([
      "query.limit",
      "query.offset"
    ])
  }).pipe(Effect.provide(layer))
)

it.effect(
  "returns one 400 response that lists every invalid currency, payment rail, address, amount and bank detail",
  () =>
    Effect.gen(function* () {
      const { call } = yield* asUser("ann")
      const places = ({ faults, status, type }: Effect.Success<ReturnType<typeof call>>) => [
        status,
        type,
        faults.map((fault) => fault.split(":")[0])
      ]
      expect(places(yield* call("GET", "/fiat-address"))).toEqual([
        400,
        "invalid-currency",
        ["query.currency", "query.payment_rail"]
      ])
      expect(places(yield* call("POST", "/bank-account?currency=eur", { ...details, routing_number: "1" }))).toEqual([
        400,
        "invalid-currency",
        ["query.currency", "body.routing_number"]
      ])
      expect(places(yield* call("POST", "/withdraw", { amount: 0, address: "0x" }))).toEqual([
        400,
        "invalid-address",
        ["body.address", "body.amount"]
      ])
      const paid = { amount: 0.001, currency: "eur", payment_rail: "wire", account_id: "x" }
      expect(places(yield* call("POST", "/fiat-withdraw", paid))).toEqual([
        400,
        "invalid-currency",
        ["body.currency", "body.amount"]
      ])
      expect(places(yield* call("POST", "/fiat-withdraw", { ...paid, payment_rail: "cash" }))).toEqual([
        400,
        "invalid-currency",
        ["body.currency", "body.payment_rail"]
      ])
    }).pipe(Effect.provide(layer))
)

it.effect("returns a 401 that names both missing steps to a new user, and a 403 once the terms are accepted", () =>
  Effect.gen(function* () {
    const { call, user } = yield* asUser("new")
    const states = yield* UserStates
    yield* states.setIdentity(user.userId, "none")
    yield* states.acceptTerms(user.userId, "0")
    const before = yield* call("GET", "/address")
    expect([before.status, before.type]).toEqual([401, "onboarding-required"])
    expect(before.faults.join(" ")).toMatch(/POST \/user\/verification.*POST \/user\/terms/)
    yield* states.acceptTerms(user.userId, "1")
    const after = yield* call("GET", "/address")
    expect([after.status, after.type]).toEqual([403, "onboarding-required"])
    expect(after.faults).toEqual([
      "onboarding.identity: identity: verify your identity with POST /user/verification of the REST interface"
    ])
  }).pipe(Effect.provide(layer))
)
