/** Tests of withdrawals over the treasury interface and real sockets: debits, holds and refusals. */
import { Identities } from "@venue/storage/access/Identities"
import { WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Profiles } from "@venue/storage/access/Profiles"
import { UserStates } from "@venue/storage/access/UserStates"
import { UserId } from "@venue/domain/UserId"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { ask, RestClient } from "../rest/RestClient.ts"
import { details } from "./Bank.ts"
import { addressAt, tokens, tronAddressAt } from "./Rails.ts"
import { layer } from "./TreasuryClient.ts"

const here = addressAt(0)

const person = Effect.fnUntraced(function* (name: string, usd = 1_000) {
  const venue = yield* TestVenue
  const { signed } = yield* RestClient
  const user = yield* venue.user(name, usd)
  const byKey = Effect.fnUntraced(function* (method: string, path: string, body?: unknown, headers = {}) {
    return yield* ask(method, path, { ...(yield* signed(user)), ...headers }, body)
  })
  const withdraw = (body: object, headers = {}) =>
    byKey("POST", "/withdraw", { address: here, network: "ARBITRUM_ONE", ...body }, headers)
  const withdrawals = Effect.map(byKey("GET", "/withdrawals"), ({ body }) => body.data)
  return { user, byKey, withdraw, withdrawals }
})

it.effect("debits a withdrawal before it responds, and lists the withdrawal with the net amount", () =>
  Effect.gen(function* () {
    const { byKey, withdraw, withdrawals } = yield* person("amy")
    const answer = yield* withdraw({ amount: "100.5" })
    expect([answer.status, answer.text, answer.headers.get("content-length")]).toEqual([200, "", "0"])
    yield* TestClock.adjust(1)
    yield* byKey("POST", "/withdraw", { amount: 20, address: tronAddressAt(3), network: "TRON" })
    const [second, first, ...others] = yield* withdrawals
    expect(others).toEqual([])
    expect(first).toMatchObject({
      kind: "crypto",
      amount: 100.5,
      fee: 1,
      net_amount: 99.5,
      network: "ARBITRUM_ONE",
      destination: here,
      // This is the first withdrawal to the address.
      status: "HELD_FOR_REVIEW",
      blocked: false,
      tx_hash: null
    })
    expect(second).toMatchObject({
      amount: 20,
      fee: 3,
      net_amount: 17,
      network: "TRON",
      destination: tronAddressAt(3)
    })
    const rest = yield* withdraw({ amount: 880 })
    expect([rest.status, rest.body.errors[0]]).toEqual([
      400,
      {
        location: "body.amount",
        message: "Expected at most 879.5 USD, the maximum that the account can release, got 880; the nearest is 879.5",
        value: 880
      }
    ])
    expect((yield* withdraw({ amount: 879.5 })).status).toBe(200)
  }).pipe(Effect.provide(layer))
)

it.effect("executes two equal requests as two withdrawals, or as one if they have the same idempotency key", () =>
  Effect.gen(function* () {
    const { withdraw, withdrawals } = yield* person("ben", 100)
    const twice = (headers: object) =>
      Effect.all([withdraw({ amount: 10 }, headers), withdraw({ amount: 10 }, headers)], { concurrency: "unbounded" })
    expect((yield* twice({})).map(({ status }) => status)).toEqual([200, 200])
    expect(yield* withdrawals).toHaveLength(2)
    const key = { "idempotency-key": "of ben".replace(" ", "-") }
    const again = yield* twice(key)
    expect(again.map(({ status }) => status)).toEqual([200, 200])
    expect(again.map(({ headers }) => headers.get("idempotent-replayed")).toSorted()).toEqual([null, "true"].toSorted())
    expect(yield* withdrawals).toHaveLength(3)
    const reused = yield* withdraw({ amount: 11 }, key)
    expect([reused.status, reused.body.type]).toEqual([422, expect.stringMatching(/idempotency-key-reused$/)])
    // Concurrent withdrawals never exceed the balance.
    const rush = yield* Effect.all(
      Array.from({ length: 10 }, () => withdraw({ amount: 20 })),
      { concurrency: "unbounded" }
    )
    expect(rush.map(({ status }) => status).toSorted()).toEqual([
      200,
      200,
      200,
      ...Array.from({ length: 7 }, () => 400)
    ])
  }).pipe(Effect.provide(layer))
)

it.effect("returns 400 for an impossible withdrawal and 422 for an invalid request, without a debit", () =>
  Effect.gen(function* () {
    const { byKey, withdraw, withdrawals } = yield* person("cid")
    const refused: ReadonlyArray<readonly [object, number, string]> = [
      [{ amount: 4.999999 }, 400, "invalid-amount"],
      [{ amount: 10.0000001 }, 400, "invalid-amount"],
      [{ amount: 0 }, 400, "invalid-amount"],
      [{ amount: -5 }, 400, "invalid-amount"],
      [{ amount: 2e9 }, 400, "invalid-amount"],
      [{ amount: 2_000 }, 400, "insufficient-balance"],
      [{ amount: 9.99, network: "TRON", address: tronAddressAt(0) }, 400, "invalid-amount"],
      [{ amount: 10, network: "BITCOIN" }, 400, "invalid-network"],
      [{ amount: 10, network: "TRON" }, 400, "invalid-address"],
      [{ amount: 10, address: here.replace("0x", "") }, 400, "invalid-address"],
      [{ amount: 10, address: `0x${"0".repeat(40)}` }, 400, "invalid-address"],
      [{ amount: 10, address: tokens.ARBITRUM_ONE.toLowerCase() }, 400, "invalid-address"],
      [{ amount: 10, address: tokens.TRON, network: "TRON" }, 400, "invalid-address"],
      [{ amount: "ten" }, 422, "invalid-request"],
      [{ amount: null }, 422, "invalid-request"],
      [{}, 422, "invalid-request"],
      [{ amount: 10, address: 7 }, 422, "invalid-request"],
      [{ amount: 10, to: "me" }, 422, "invalid-request"]
    ]
    for (const [body, status, page] of refused) {
      const answer = yield* withdraw(body)
      expect([body, answer.status, answer.body.type]).toEqual([body, status, expect.stringMatching(`/${page}$`)])
    }
    for (const [network, address] of Object.entries(tokens)) {
      const answer = yield* byKey("POST", "/withdrawal-addresses", { network, address })
      expect([answer.status, answer.body.type]).toEqual([400, expect.stringMatching(/invalid-address$/)])
    }
    const linked = (yield* byKey("POST", "/bank-account?currency=usd", details)).body.id
    const wire = { amount: 100, currency: "usd", payment_rail: "wire", account_id: linked }
    const refusedFiat: ReadonlyArray<readonly [object, number, string]> = [
      [{ amount: 9.99 }, 400, "invalid-amount"],
      [{ amount: 25 }, 400, "invalid-amount"],
      [{ amount: 30.001 }, 400, "invalid-amount"],
      [{ currency: "eur" }, 400, "invalid-currency"],
      [{ payment_rail: "fednow" }, 400, "invalid-payment-rail"],
      [{ account_id: "mine" }, 404, "unknown-bank-account"],
      [{ account_id: null }, 422, "invalid-request"]
    ]
    for (const [change, status, page] of refusedFiat) {
      const answer = yield* byKey("POST", "/fiat-withdraw", { ...wire, ...change })
      expect([change, answer.status, answer.body.type]).toEqual([change, status, expect.stringMatching(`/${page}$`)])
    }
    expect(yield* withdrawals).toEqual([])
  }).pipe(Effect.provide(layer))
)

for (const [member, value] of [
  ["routing_number", "500000005"],
  ["account_number", "0000"]
] as const)
  it.effect(`refuses a withdrawal to an account linked earlier with ${member} ${value}, and debits nothing`, () =>
    Effect.gen(function* () {
      const { byKey, user } = yield* person("bea")
      const accounts = yield* BankAccounts
      const accountId = "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"
      const linked = Redacted.make({ ...details, [member]: value })
      yield* accounts.link({ accountId, userId: user.userId, holderKnown: true, details: linked })
      const request = { amount: 100, currency: "usd", payment_rail: "wire", account_id: accountId }
      const { body, status } = yield* byKey("POST", "/fiat-withdraw", request)
      expect([status, body.type]).toEqual([400, expect.stringMatching(/invalid-bank-details$/)])
      expect(body.errors).toEqual([
        {
          location: "body.account_id",
          message: expect.stringMatching(
            new RegExp(`^The ${member} of the linked .*Unlink the account and link it again$`)
          )
        }
      ])
      expect(JSON.stringify(body)).not.toContain(value)
      expect((yield* byKey("GET", "/withdrawals")).body.count).toBe(0)
    }).pipe(Effect.provide(layer))
  )

it.effect("pays a bank account that was linked with an arbitrary text as its state", () =>
  Effect.gen(function* () {
    const { byKey, user } = yield* person("cal")
    const accountId = "0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d21"
    const linked = Redacted.make({ ...details, state: "New York State" })
    yield* (yield* BankAccounts).link({ accountId, userId: user.userId, holderKnown: true, details: linked })
    const request = { amount: 100, currency: "usd", payment_rail: "wire", account_id: accountId }
    expect((yield* byKey("POST", "/fiat-withdraw", request)).status).toBe(200)
  }).pipe(Effect.provide(layer))
)

it.effect("holds a withdrawal if its address is new and unverified, or if the address or the user is flagged", () =>
  Effect.gen(function* () {
    const { user, withdraw } = yield* person("dan")
    const withdrawals = yield* Withdrawals
    const reasons = Effect.fnUntraced(function* (body: object) {
      yield* TestClock.adjust(1)
      expect((yield* withdraw({ amount: 5, ...body })).status).toBe(200)
      return (yield* withdrawals.ofUser(user.userId, { limit: 1, offset: 0 }))[0]!.reasons
    })
    expect(yield* reasons({})).toEqual(["new-destination"])
    const registered = { userId: user.userId, network: "ARBITRUM_ONE", label: null } as const
    const addresses = yield* WithdrawalAddresses
    yield* addresses.add({ ...registered, addressId: "by hand", address: addressAt(1), verified: false })
    yield* addresses.add({ ...registered, addressId: "signed", address: addressAt(2), verified: true })
    yield* (yield* Identities).arrive({ address: addressAt(3).toLowerCase(), seen: null, userId: user.userId })
    expect(yield* reasons({ address: addressAt(1) })).toEqual(["new-destination"])
    expect(yield* reasons({ address: addressAt(2) })).toEqual([])
    expect(yield* reasons({ address: addressAt(3).toLowerCase() })).toEqual([])
    const flags = yield* TreasuryFlags
    const set = { effect: "flagged", reason: "a test", setBy: "somebody" } as const
    yield* flags.set({ kind: "address", subject: addressAt(2), ...set })
    expect(yield* reasons({ address: addressAt(2) })).toEqual(["flagged-destination"])
    yield* flags.set({ kind: "user", subject: user.userId, ...set })
    expect(yield* reasons({ address: addressAt(3) })).toEqual(["flagged-user"])
  }).pipe(Effect.provide(layer))
)

it.effect("limits withdrawals with a builder's key to registered addresses", () =>
  Effect.gen(function* () {
    const { user, withdraw } = yield* person("eve")
    const { signed } = yield* RestClient
    const builder = yield* (yield* TestVenue).user("builder", 0)
    const publicKey = `svc_test_pub_${"b".repeat(32)}`
    const key: TestUser = { userId: user.userId, publicKey, secretKey: "secret of builder" }
    yield* (yield* ApiKeys).replaceBuilderKey({
      userId: user.userId,
      label: "builder-x",
      builderUserId: builder.userId,
      publicKey,
      secret: Redacted.make(key.secretKey)
    })
    const byBuilder = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
      return yield* ask(method, path, yield* signed(key), body)
    })
    const request = { amount: 10, address: here, network: "ARBITRUM_ONE" }
    const refused = yield* byBuilder("POST", "/withdraw", request)
    expect([refused.status, refused.body.type]).toEqual([403, expect.stringMatching(/address-not-registered$/)])
    yield* (yield* WithdrawalAddresses).add({
      addressId: "own",
      userId: user.userId,
      network: "ARBITRUM_ONE",
      address: here.toLowerCase(),
      label: null,
      verified: true
    })
    expect((yield* byBuilder("POST", "/withdraw", request)).status).toBe(200)
    expect((yield* byBuilder("GET", "/address")).status).toBe(200)
    expect((yield* byBuilder("GET", "/withdrawal-addresses")).body.data[0].address).toBe(here)
    const others = [
      ["POST", "/address/rotate", { network: "TRON" }],
      ["POST", "/withdrawal-addresses", { address: addressAt(1), network: "ARBITRUM_ONE" }],
      ["DELETE", "/withdrawal-addresses/own", undefined],
      ["GET", "/fiat-address?currency=usd&payment_rail=wire", undefined],
      ["POST", "/bank-account?currency=usd", details],
      ["POST", "/fiat-withdraw", {}],
      ["GET", "/withdrawals", undefined],
      ["GET", "/deposits", undefined]
    ] as const
    for (const [method, path, body] of others) {
      expect([path, (yield* byBuilder(method, path, body)).status]).toEqual([path, 403])
    }
    // The user can withdraw to any address.
    expect((yield* withdraw({ amount: 10, address: addressAt(9) })).status).toBe(200)
  }).pipe(Effect.provide(layer))
)

it.effect("I47: refuses withdrawals until every onboarding step is complete, but always serves lists", () =>
  Effect.gen(function* () {
    const states = yield* UserStates
    const venue = yield* TestVenue
    const { byKey, user, withdraw } = yield* person("fay")
    const bearer = { authorization: `Bearer ${yield* venue.token(user)}` }
    const asks = [
      () => withdraw({ amount: 10 }),
      () => byKey("GET", "/address"),
      () => ask("GET", "/address", bearer),
      () => ask("POST", "/withdraw", bearer, { amount: 10, address: here }),
      () => byKey("GET", "/withdrawal-addresses"),
      () => byKey("GET", "/fiat-address?currency=usd&payment_rail=wire"),
      () => byKey("POST", "/bank-account?currency=usd", details)
    ]
    const answersWith = Effect.fnUntraced(function* (status: number) {
      for (const send of asks) expect((yield* send()).status).toBe(status)
      expect((yield* byKey("GET", "/withdrawals")).body.data).toEqual([])
      expect((yield* ask("GET", "/deposits", bearer)).status).toBe(200)
    })
    yield* states.acceptTerms(user.userId, "0")
    yield* answersWith(401)
    yield* states.setIdentity(user.userId, "none")
    yield* answersWith(401)
    yield* states.acceptTerms(user.userId, "1")
    yield* answersWith(403)
    yield* states.setIdentity(user.userId, "verified")
    yield* states.setRegion(user.userId, "KP")
    yield* answersWith(403)
    yield* states.setRegion(user.userId, "DE")
    const account = yield* venue.subaccount(user, 0)
    for (const named of [account, "00000000-0000-4000-8000-ffffffffffff"]) {
      const other = { "x-svc-requested-account-id": named }
      expect((yield* byKey("GET", "/address", undefined, other)).status).toBe(403)
    }
    expect((yield* byKey("GET", "/address", undefined, { "x-svc-requested-account-id": user.userId })).status).toBe(200)
    yield* states.freeze(user.userId)
    for (const send of asks) expect((yield* send()).status).toBe(403)
  }).pipe(Effect.provide(layer))
)

it.effect("links a bank account of the verified holder, and holds payouts to an account of an unknown holder", () =>
  Effect.gen(function* () {
    const { byKey, user, withdrawals } = yield* person("gus")
    const link = (change: object = {}) => byKey("POST", "/bank-account?currency=usd", { ...details, ...change })
    const unknown = (yield* link()).body.id
    yield* (yield* Profiles).change(UserId.make(user.userId), { firstName: "ADA", lastName: "Éxample" })
    const known = (yield* link()).body.id
    const refused = yield* link({ first_name: "Bob", routing_number: "021000022", street_line_1: "Main Street" })
    expect([refused.status, refused.body.errors.map(({ location }: { location: string }) => location)]).toEqual([
      400,
      ["body.first_name", "body.routing_number", "body.street_line_1"]
    ])
    for (const text of ["Bob", "021000022", "Main Street"]) expect(refused.text).not.toContain(text)
    for (const account_id of [unknown, known]) {
      yield* TestClock.adjust(1)
      yield* byKey("POST", "/fiat-withdraw", { amount: 100, currency: "usd", payment_rail: "ach_push", account_id })
    }
    expect(yield* withdrawals).toMatchObject([
      { kind: "fiat", payment_rail: "ach_push", destination: "****6789", status: "QUEUED", net_amount: 99 },
      { status: "HELD_FOR_REVIEW", destination: "****6789" }
    ])
  }).pipe(Effect.provide(layer))
)
