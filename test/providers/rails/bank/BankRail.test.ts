/** Tests that the bank client over HTTP and the venue's own simulated bank meet the same contract. */
import type { PaymentOrder, RailProvider } from "@venue/providers/rails/RailProvider"
import { calm } from "@venue/simulation/bank/BankSimulator"
import * as SimulatedRail from "@venue/simulation/rails/SimulatedRail"
import * as Simulation from "@venue/simulation/rails/Simulation"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as Held from "../Held.ts"
import { TestClock } from "effect/testing"
import { BankUnderTest, details, layerOf } from "./BankServer.ts"

interface Bank {
  readonly provider: RailProvider
  /** Books a credit and returns its reference. */
  readonly credit: (message: string, amount: bigint) => Effect.Effect<string, unknown>
  readonly takeBack: (reference: string) => Effect.Effect<unknown, unknown>
  /** Sets the outcome of later payouts. Each payout reaches that outcome within a minute. */
  readonly ending: (end: "pay" | "fail") => Effect.Effect<void, unknown>
  /** Number of accepted payouts. */
  readonly payouts: Effect.Effect<number, unknown>
}

const server = Effect.gen(function* () {
  const { provider, simulator } = yield* BankUnderTest
  const bank: Bank = {
    provider,
    credit: (message, amount) =>
      Effect.map(simulator.credit({ amount, message, payment_rail: "ach_push" }), ({ reference }) => reference),
    takeBack: simulator.takeBack,
    ending: (end) =>
      simulator.behave({
        ...calm,
        settle_after_seconds: 30,
        payouts_fail_with: end === "fail" ? "account_closed" : null
      }),
    payouts: Effect.map(simulator.payouts, ({ length }) => length)
  }
  return bank
})

const madeUp = Effect.sync((): Bank => {
  let state = SimulatedRail.empty(0)
  const { deposit, nextFate, payments, provider, takeBack } = Simulation.make("BANK", (_, change) =>
    Effect.sync(() => {
      const [answer, next] = change(state)
      state = next
      return answer
    })
  )
  return {
    provider,
    credit: (message, amount) => deposit(message, amount, "ach_push"),
    takeBack,
    ending: nextFate,
    payouts: Effect.map(payments, ({ length }) => length)
  }
})

const order: PaymentOrder = {
  withdrawalId: "w-1",
  destination: Redacted.make(JSON.stringify(details)),
  amount: 475_000_000n,
  paymentRail: "wire",
  sequence: 0,
  purpose: "pay",
  previous: []
}

const contract = (
  name: string,
  made: <A>(test: (bank: Bank) => Effect.Effect<A, unknown>) => Effect.Effect<A, unknown>
) =>
  describe(name, () => {
    it.effect("reports each credit once, in order, with its message unchanged", () =>
      made(({ credit, provider }) =>
        Effect.gen(function* () {
          const { cursor } = yield* provider.scan(null, Effect.succeed([]))
          const first = yield* credit("A1B2C3D4E5F6", 12_340_000n)
          const second = yield* credit(" a1b2c3d4e5f6", 10_000n)
          yield* TestClock.adjust("1 minute")
          const { arrivals, cursor: next, returned } = yield* provider.scan(cursor, Effect.succeed([]))
          assert.deepStrictEqual(
            arrivals.map(({ amount, block, logIndex, paymentRail, to, txHash }) => [
              txHash,
              logIndex,
              to,
              amount,
              block,
              paymentRail
            ]),
            [
              [first, 0, "A1B2C3D4E5F6", 12_340_000n, null, "ach_push"],
              [second, 0, " a1b2c3d4e5f6", 10_000n, null, "ach_push"]
            ]
          )
          assert.deepStrictEqual(returned, [])
          assert.deepStrictEqual(yield* provider.arrivalStates(arrivals), [
            { _tag: "Present", confirmations: 1, isFinal: true },
            { _tag: "Present", confirmations: 1, isFinal: true }
          ])
          assert.deepStrictEqual((yield* provider.scan(next, Effect.succeed([]))).arrivals, [])
        })
      )
    )

    it.effect("reports a returned credit once, after its arrival", () =>
      made(({ credit, provider, takeBack }) =>
        Effect.gen(function* () {
          const { cursor } = yield* provider.scan(null, Effect.succeed([]))
          const before = yield* Held.amount(provider)
          const txHash = yield* credit("A1B2C3D4E5F6", 12_340_000n)
          yield* TestClock.adjust("1 minute")
          assert.strictEqual(yield* Held.amount(provider), before! + 12_340_000n)
          yield* takeBack(txHash)
          const scan = yield* provider.scan(cursor, Effect.succeed([]))
          assert.deepStrictEqual(
            scan.arrivals.map((arrival) => arrival.txHash),
            [txHash]
          )
          assert.deepStrictEqual(scan.returned, [{ txHash, logIndex: 0 }])
          assert.deepStrictEqual((yield* provider.scan(scan.cursor, Effect.succeed([]))).returned, [])
          assert.strictEqual(yield* Held.amount(provider), before)
        })
      )
    )

    it.effect("I14: reports an unsent payout as pending, and makes one payout however often it is sent", () =>
      made(({ ending, payouts, provider }) =>
        Effect.gen(function* () {
          yield* ending("pay")
          const payment = yield* provider.sign(order)
          assert.deepStrictEqual(yield* provider.outcome([payment]), { _tag: "Pending" })
          for (let n = 0; n < 3; n++) yield* provider.send(payment)
          assert.deepStrictEqual(yield* provider.outcome([payment]), { _tag: "Pending" })
          yield* TestClock.adjust("1 minute")
          yield* provider.send(payment)
          assert.deepStrictEqual(yield* provider.outcome([payment]), { _tag: "Settled", reference: payment.reference })
          assert.strictEqual(yield* payouts, 1)
        })
      )
    )

    it.effect("I14: a failed payout stays failed when it is sent again", () =>
      made(({ ending, payouts, provider }) =>
        Effect.gen(function* () {
          yield* ending("fail")
          const before = yield* Held.amount(provider)
          const payment = yield* provider.sign(order)
          yield* provider.send(payment)
          yield* TestClock.adjust("1 minute")
          assert.deepInclude(yield* provider.outcome([payment]), { _tag: "Failed", reference: payment.reference })
          yield* ending("pay")
          yield* provider.send(payment)
          yield* TestClock.adjust("1 minute")
          assert.deepInclude(yield* provider.outcome([payment]), { _tag: "Failed" })
          assert.strictEqual(yield* payouts, 1)
          assert.strictEqual(yield* Held.amount(provider), before)
        })
      )
    )
  })

contract("a bank over HTTP", (test) => Effect.flatMap(server, test).pipe(Effect.provide(layerOf())))
contract("a bank within the venue", (test) => Effect.flatMap(madeUp, test))
