/** Tests of the bank client against the simulated bank over HTTP. */
import type { Payment, PaymentOrder } from "@venue/providers/rails/RailProvider"
import { calm, type Failure } from "@venue/simulation/bank/BankSimulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option, Redacted } from "effect"
import * as Held from "../Held.ts"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { bankKey, BankUnderTest, canaries, details, layerOf } from "./BankServer.ts"

const usd = (amount: number) => BigInt(amount) * 1_000_000n

const order = (withdrawalId: string, given: Partial<PaymentOrder> = {}): PaymentOrder => ({
  withdrawalId,
  destination: Redacted.make(JSON.stringify(details)),
  amount: usd(475),
  paymentRail: "wire",
  sequence: 0,
  purpose: "pay",
  previous: [],
  ...given
})

const bank = (name: string, test: (under: BankUnderTest["Service"]) => Effect.Effect<unknown, unknown>) =>
  it.effect(name, () => Effect.flatMap(BankUnderTest, test).pipe(Effect.provide(layerOf())))

describe("credits", () => {
  bank(
    "starts a scan at the bank's newest entry, and returns each later entry once, in order",
    ({ provider, simulator }) =>
      Effect.gen(function* () {
        yield* simulator.credit({ amount: usd(1), message: "BEFORE", payment_rail: "wire" })
        const first = yield* provider.scan(null, Effect.succeed([]))
        assert.deepStrictEqual(first.arrivals, [])
        yield* simulator.credit({
          amount: 12_340_000n,
          message: "ABCDEF123456",
          payment_rail: "fednow",
          reference: "r-1"
        })
        yield* simulator.credit({
          amount: usd(50),
          message: " abcdef123456",
          payment_rail: "ach_push",
          reference: "r-2"
        })
        yield* simulator.takeBack("r-2")
        const second = yield* provider.scan(first.cursor, Effect.succeed([]))
        assert.deepStrictEqual(second.arrivals, [
          {
            txHash: "r-1",
            logIndex: 0,
            to: "ABCDEF123456",
            amount: 12_340_000n,
            block: null,
            paymentRail: "fednow"
          },
          // Messages are passed on unchanged; matching happens where they are stored.
          { txHash: "r-2", logIndex: 0, to: " abcdef123456", amount: usd(50), block: null, paymentRail: "ach_push" }
        ])
        assert.deepStrictEqual(second.returned, [{ txHash: "r-2", logIndex: 0 }])
        const third = yield* provider.scan(second.cursor, Effect.succeed([]))
        assert.deepStrictEqual(third, { arrivals: [], returned: [], cursor: second.cursor })
        assert.deepStrictEqual(yield* provider.scan(first.cursor, Effect.succeed([])), second)
      })
  )

  bank("reports a listed credit as final, and includes it in the holdings", ({ provider, simulator }) =>
    Effect.gen(function* () {
      const { cursor } = yield* provider.scan(null, Effect.succeed([]))
      yield* simulator.credit({ amount: usd(20), message: "M", payment_rail: "wire" })
      const { arrivals } = yield* provider.scan(cursor, Effect.succeed([]))
      assert.deepStrictEqual(yield* provider.arrivalStates(arrivals), [
        { _tag: "Present", confirmations: 1, isFinal: true }
      ])
      assert.strictEqual(yield* Held.amount(provider), usd(1_000_020))
    })
  )

  bank("allows a credit to be returned only once, and only if it is an ACH credit", ({ provider, simulator }) =>
    Effect.gen(function* () {
      yield* simulator.credit({ amount: usd(20), message: "M", payment_rail: "ach_push", reference: "ach" })
      yield* simulator.credit({ amount: usd(20), message: "M", payment_rail: "wire", reference: "wire" })
      yield* simulator.takeBack("ach")
      assert.strictEqual((yield* Effect.flip(simulator.takeBack("ach"))).status, 409)
      assert.strictEqual((yield* Effect.flip(simulator.takeBack("wire"))).status, 422)
      assert.strictEqual((yield* Effect.flip(simulator.takeBack("none"))).status, 404)
      assert.strictEqual(yield* Held.amount(provider), usd(1_000_020))
    })
  )

  bank("returns at most 500 entries per scan, and the remaining entries in the next scan", ({ provider, simulator }) =>
    Effect.gen(function* () {
      const { cursor } = yield* provider.scan(null, Effect.succeed([]))
      for (let n = 0; n < 501; n++)
        yield* simulator.credit({ amount: 10_000n, message: "\u{1f4b6}".repeat(128), payment_rail: "wire" })
      const first = yield* provider.scan(cursor, Effect.succeed([]))
      const second = yield* provider.scan(first.cursor, Effect.succeed([]))
      assert.deepStrictEqual([first.arrivals.length, second.arrivals.length], [500, 1])
    })
  )

  bank("fails a scan if the bank does not recognise the cursor", ({ provider }) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(provider.scan("another:7", Effect.succeed([])))
      const cause = "the server returned status 422: after is not a cursor that this bank returned"
      assert.deepInclude(error, { _tag: "RailUnavailable", rail: "BANK", cause })
    })
  )
})

describe("holdings at the bank", () => {
  bank(
    "I12: counts an outgoing payout as part of the holdings until the payout has settled, and then deducts it",
    ({ provider, simulator }) =>
      Effect.gen(function* () {
        const payments = yield* Effect.forEach(["w-1", "w-2", "w-3"], (id) => provider.sign(order(id)))
        for (const payment of payments.slice(0, 2)) yield* provider.send(payment)
        yield* simulator.end("w-1", "settled", null)
        const held = yield* Held.holdings(provider, { sent: payments.map((payment) => [payment]) })
        assert.deepInclude(held, { amount: usd(1_000_000 - 475), block: null, hasLeft: [true, false, false] })
      })
  )

  bank("I12: returns no holdings while the bank has a credit that no scan has read", ({ provider, simulator }) =>
    Effect.gen(function* () {
      const { cursor } = yield* provider.scan(null, Effect.succeed([]))
      assert.isTrue(Option.isSome(yield* provider.holdings(Held.question({ cursor }))))
      yield* simulator.credit({ amount: usd(20), message: "M", payment_rail: "wire" })
      assert.isTrue(Option.isNone(yield* provider.holdings(Held.question({ cursor }))))
    })
  )
})

describe("payouts", () => {
  bank("reports a payout as pending until it has settled", ({ provider, simulator }) =>
    Effect.gen(function* () {
      const payment = yield* provider.sign(order("w-1"))
      assert.deepInclude(payment, { purpose: "pay", reference: "w-1", expiresAtMillis: null })
      yield* provider.send(payment)
      assert.deepStrictEqual(yield* provider.outcome([payment]), { _tag: "Pending" })
      assert.strictEqual(yield* Held.amount(provider), usd(1_000_000))
      yield* simulator.end("w-1", "settled", null)
      assert.deepStrictEqual(yield* provider.outcome([payment]), { _tag: "Settled", reference: "w-1" })
      assert.strictEqual(yield* Held.amount(provider), usd(1_000_000 - 475))
    })
  )

  bank("reports why a payout failed, and leaves the holdings unchanged", ({ provider, simulator }) =>
    Effect.gen(function* () {
      const payment = yield* provider.sign(order("w-1"))
      yield* provider.send(payment)
      yield* simulator.end("w-1", "failed", "account_closed")
      const failed = {
        _tag: "Failed" as const,
        reference: "w-1",
        reason: { _tag: "PayoutFailed" as const, code: "account_closed" }
      }
      assert.deepStrictEqual(yield* provider.outcome([payment]), failed)
      yield* provider.send(payment)
      assert.deepStrictEqual(yield* provider.outcome([payment]), failed)
      assert.strictEqual(yield* Held.amount(provider), usd(1_000_000))
    })
  )

  bank("I14: makes one payout however often it is sent, even if a response is lost", ({ provider, simulator }) =>
    Effect.gen(function* () {
      const payment = yield* provider.sign(order("w-1"))
      yield* simulator.behave({ ...calm, settle_after_seconds: null, failure: "lost_answer" })
      assert.strictEqual((yield* Effect.flip(provider.send(payment)))._tag, "RailUnavailable")
      yield* simulator.behave({ ...calm, settle_after_seconds: null })
      for (let n = 0; n < 3; n++) yield* provider.send(payment)
      yield* simulator.end("w-1", "settled", null)
      yield* provider.send(payment)
      const payouts = yield* simulator.payouts
      assert.deepStrictEqual(
        payouts.map(({ id, request, status }) => [id, request.amount, status]),
        [["w-1", usd(475), "settled"]]
      )
    })
  )

  bank(
    "I14: the bank refuses a second payout with the same idempotency key and another amount",
    ({ provider, simulator }) =>
      Effect.gen(function* () {
        yield* provider.send(yield* provider.sign(order("w-1")))
        const other = yield* provider.sign(order("w-1", { amount: usd(476) }))
        const { cause } = yield* Effect.flip(provider.send(other))
        assert.strictEqual(cause, "the server returned status 409: another payout has this idempotency key")
        assert.strictEqual((yield* simulator.payouts).length, 1)
      })
  )

  bank("reports a payout as pending if the bank has no record of it", ({ provider }) =>
    Effect.gen(function* () {
      const payment = yield* provider.sign(order("w-1"))
      assert.deepStrictEqual(yield* provider.outcome([payment]), { _tag: "Pending" })
      assert.deepStrictEqual(yield* provider.outcome([]), { _tag: "Pending" })
    })
  )

  bank("reports a payout as failed if the bank account has insufficient funds", ({ provider }) =>
    Effect.gen(function* () {
      const payment = yield* provider.sign(order("w-1", { amount: usd(1_000_001) }))
      yield* provider.send(payment)
      assert.deepInclude(yield* provider.outcome([payment]), {
        _tag: "Failed",
        reason: { _tag: "PayoutFailed", code: "insufficient_funds" }
      })
    })
  )

  bank("the simulated bank settles or fails a payout after the configured delay", ({ provider, simulator }) =>
    Effect.gen(function* () {
      yield* simulator.behave({ ...calm, settle_after_seconds: 60 })
      const settling = yield* provider.sign(order("w-1"))
      yield* provider.send(settling)
      yield* simulator.behave({ ...calm, settle_after_seconds: 60, payouts_fail_with: "account_not_found" })
      const failing = yield* provider.sign(order("w-2"))
      yield* provider.send(failing)
      yield* TestClock.adjust("59 seconds")
      assert.deepStrictEqual(yield* provider.outcome([settling]), { _tag: "Pending" })
      yield* TestClock.adjust("1 second")
      assert.deepInclude(yield* provider.outcome([settling]), { _tag: "Settled" })
      assert.deepInclude(yield* provider.outcome([failing]), {
        _tag: "Failed",
        reason: { _tag: "PayoutFailed", code: "account_not_found" }
      })
    })
  )

  bank("cancels an unsent payout without a request to the bank", ({ provider, simulator }) =>
    Effect.gen(function* () {
      const unpayable = { purpose: "cancel", destination: Redacted.make(""), paymentRail: null } as const
      yield* provider.check(order("w-1", unpayable), () => Effect.succeed(0n))
      const cancel = yield* provider.sign(order("w-1", unpayable))
      yield* provider.send(cancel)
      assert.lengthOf(yield* simulator.payouts, 0)
      const outcome = { _tag: "Failed", reference: null, reason: { _tag: "PaymentCancelled" } } as const
      assert.deepStrictEqual(yield* provider.outcome([cancel]), outcome)
      assert.strictEqual((yield* provider.sign(order("w-2"))).attempt, 1)
    })
  )

  const invalid = (member: string) => ({ _tag: "InvalidPayout", member })
  const refused: ReadonlyArray<readonly [what: string, given: Partial<PaymentOrder>, obstacle: object]> = [
    [
      "a cancel of a payout that was sent",
      { purpose: "cancel", previous: [{} as Payment] },
      { _tag: "PayoutStarted", purpose: "cancel" }
    ],
    ["a second attempt of a payout", { previous: [{} as Payment] }, { _tag: "PayoutStarted", purpose: "pay" }],
    ["an amount with a fraction of a cent", { amount: 10_001n }, invalid("amount")],
    ["an amount of zero", { amount: 0n }, invalid("amount")],
    ["an unknown payment rail", { paymentRail: "fednow" }, invalid("payment_rail")],
    ["a missing payment rail", { paymentRail: null }, invalid("payment_rail")],
    ["an id with a slash", { withdrawalId: "../w" }, invalid("id")],
    ["malformed payee details", { destination: Redacted.make("98765432109876") }, invalid("payee")],
    [
      "payee details with an invalid account number",
      { destination: Redacted.make(JSON.stringify({ ...details, account_number: "98765432109876x" })) },
      invalid("payee")
    ]
  ]
  for (const [what, given, obstacle] of refused) {
    bank(`I46: refuses ${what} with an error that omits the bank account`, ({ provider }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(provider.sign(order("w-1", given)))
        assert.strictEqual(error._tag, "SigningRefused")
        assert.deepStrictEqual(Reflect.get(error, "obstacle"), obstacle)
        for (const canary of canaries) assert.notInclude(inspect(error, { depth: null }), canary)
      })
    )
  }
})

describe("bank outages", () => {
  const told: ReadonlyArray<readonly [failure: Failure, cause: RegExp]> = [
    ["unavailable", /status 503/],
    ["malformed", /unexpected form/],
    ["oversized", /larger than 1048576 bytes/],
    ["lost_answer", /status 502/]
  ]
  for (const [failure, cause] of told) {
    bank(
      `reports the bank as unavailable (${failure}) with an error that omits the key and the bank details`,
      (under) =>
        Effect.gen(function* () {
          const { provider, simulator } = under
          const payment = yield* provider.sign(order("w-1"))
          yield* simulator.behave({ ...calm, failure })
          const errors = [
            yield* Effect.flip(provider.scan(null, Effect.succeed([]))),
            yield* Effect.flip(provider.send(payment)),
            yield* Effect.flip(provider.outcome([payment])),
            yield* Effect.flip(provider.holdings(Held.question()))
          ]
          for (const error of errors) {
            assert.deepInclude(error, { _tag: "RailUnavailable", rail: "BANK" })
            assert.match(String(error.cause), cause)
            const seen = `${inspect(error, { depth: null })} ${JSON.stringify(error)} ${JSON.stringify(payment)}`
            for (const canary of [bankKey, ...canaries]) assert.notInclude(seen, canary)
          }
        })
    )
  }

  bank("reports a silent bank as unavailable after ten seconds", ({ provider, simulator }) =>
    Effect.gen(function* () {
      yield* simulator.behave({ ...calm, failure: "silent" })
      const asked = yield* Effect.forkChild(Effect.flip(provider.holdings(Held.question())))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* Fiber.join(asked))._tag, "RailUnavailable")
    })
  )

  bank("reports an unreachable bank as unavailable", () =>
    Effect.gen(function* () {
      const provider = yield* Effect.scoped(Effect.map(BankUnderTest, ({ provider }) => provider)).pipe(
        Effect.provide(layerOf())
      )
      assert.strictEqual((yield* Effect.flip(provider.holdings(Held.question())))._tag, "RailUnavailable")
    })
  )
})
