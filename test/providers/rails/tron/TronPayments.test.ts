/** Tests of payments on TRON: one payment per withdrawal, whatever happens to its transactions. */
import type { Payment, PaymentOrder } from "@venue/providers/rails/RailProvider"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { honest, hot, scene, type TronScene, withNodes } from "./TronServer.ts"
import { solidDepth, token } from "./TronChain.ts"

const payeeHex = `41${"9e".repeat(20)}`
const payee = TronAddress.ofHex(payeeHex)
const usd = (amount: number) => BigInt(amount) * 1_000_000n
/** No other withdrawal is in flight. */
const nothing = () => Effect.succeed(0n)

const order = (given: Partial<PaymentOrder> = {}): PaymentOrder => ({
  withdrawalId: "w-1",
  destination: Redacted.make(payee),
  amount: usd(997),
  paymentRail: null,
  sequence: 7,
  purpose: "pay",
  previous: [],
  ...given
})

const payments = (name: string, test: (given: TronScene) => Effect.Effect<unknown, unknown>, nodes = 1) =>
  it.effect(name, () => withNodes(Effect.flatMap(scene(nodes), test)))

const pending = { _tag: "Pending" } as const
const overdue = { _tag: "Overdue" } as const
/**
 * Number of blocks, one every 3 s, until the final block is at least 5 minutes later than an attempt's expiration. The
 * attempt expires 10 minutes and 7 ms after it is signed; the 7 ms derive from the number of the withdrawal.
 */
const untilGone = 301 + solidDepth

describe("a payment on TRON", () => {
  payments("settles a payment once its block is final", (tron) =>
    Effect.gen(function* () {
      const { chain, provider } = tron
      const payment = yield* provider.sign(order())
      assert.deepInclude(payment, { attempt: 1, purpose: "pay", signedAtMillis: yield* Clock.currentTimeMillis })
      assert.strictEqual(payment.expiresAtMillis, chain.head.timestampMillis + 600_007)
      assert.deepStrictEqual(yield* provider.outcome([payment]), pending)
      yield* provider.send(payment)
      yield* tron.mine()
      assert.strictEqual(chain.find(payment.reference)?.block.number, chain.head.number)
      for (let n = 0; n < solidDepth; n++) {
        assert.deepStrictEqual(yield* provider.outcome([payment]), pending)
        yield* tron.mine()
      }
      assert.deepStrictEqual(yield* provider.outcome([payment]), { _tag: "Settled", reference: payment.reference })
      assert.deepStrictEqual(chain.received(payeeHex), [usd(997)])
    })
  )

  payments("I14: executes a payment once, however often the payment is sent", (tron) =>
    Effect.gen(function* () {
      const { chain, provider } = tron
      const payment = yield* provider.sign(order())
      for (let n = 0; n < 5; n++) {
        yield* provider.send(payment)
        yield* tron.mine()
      }
      yield* tron.mine(400)
      yield* provider.send(payment)
      yield* tron.mine(30)
      assert.deepStrictEqual(chain.received(payeeHex), [usd(997)])
      assert.deepInclude(yield* provider.outcome([payment]), { _tag: "Settled" })
    })
  )

  payments(
    "I13: signs two transactions for two withdrawals of the same amount to the same address at the same time",
    (tron) =>
      Effect.gen(function* () {
        const { chain, provider } = tron
        const first = yield* provider.sign(order())
        const second = yield* provider.sign(order({ withdrawalId: "w-2", sequence: 8 }))
        assert.notStrictEqual(first.reference, second.reference)
        yield* provider.send(first)
        yield* provider.send(second)
        yield* tron.mine(solidDepth + 1)
        assert.deepStrictEqual(chain.received(payeeHex), [usd(997), usd(997)])
      })
  )

  payments("reports a payment as pending after a reorganisation has removed it, until it is included again", (tron) =>
    Effect.gen(function* () {
      const { chain, provider } = tron
      const payment = yield* provider.sign(order())
      yield* provider.send(payment)
      yield* tron.mine(3)
      chain.reorganise(3, false)
      assert.isUndefined(chain.find(payment.reference))
      assert.deepStrictEqual(yield* provider.outcome([payment]), pending)
      yield* provider.send(payment)
      yield* tron.mine(solidDepth + 1)
      assert.deepInclude(yield* provider.outcome([payment]), { _tag: "Settled" })
      assert.deepStrictEqual(chain.received(payeeHex), [usd(997)])
    })
  )

  for (const execution of ["OUT_OF_ENERGY", "REVERT"]) {
    payments(`fails a payment permanently only once its ${execution} receipt is final`, (tron) =>
      Effect.gen(function* () {
        const { chain, provider } = tron
        const payment = yield* provider.sign(order())
        chain.execution = execution
        yield* provider.send(payment)
        yield* tron.mine(solidDepth)
        assert.deepStrictEqual(yield* provider.outcome([payment]), pending)
        yield* tron.mine()
        const failed = {
          _tag: "Failed",
          reference: payment.reference,
          reason: { _tag: "TransactionFailed", code: execution }
        } as const
        assert.deepStrictEqual(yield* provider.outcome([payment]), failed)
        chain.execution = "SUCCESS"
        yield* provider.send(payment)
        yield* tron.mine(untilGone)
        assert.deepStrictEqual(yield* provider.outcome([payment]), failed)
        assert.deepStrictEqual(chain.received(payeeHex), [])
        const again = yield* Effect.flip(provider.sign(order({ previous: [payment] })))
        assert.strictEqual(again._tag, "SigningRefused")
      })
    )
  }

  payments("returns an error instead of an outcome for a payment that was executed without a transfer", (tron) =>
    Effect.gen(function* () {
      const { chain, provider } = tron
      const payment = yield* provider.sign(order())
      yield* provider.send(payment)
      yield* tron.mine()
      const at = chain.head.number
      chain.blocks[at] = {
        ...chain.blocks[at]!,
        transactions: chain.blocks[at]!.transactions.map((one) => ({ ...one, logs: [] }))
      }
      yield* tron.mine(solidDepth)
      const error = yield* Effect.flip(provider.outcome([payment]))
      assert.match(String(error.cause), /executed without a transfer/)
    })
  )
})

describe("an attempt that does not execute", () => {
  payments(
    "I14: signs a second attempt only once the first attempt has certainly expired, and pays only once",
    (tron) =>
      Effect.gen(function* () {
        const { chain, provider } = tron
        const first = yield* provider.sign(order())
        yield* provider.send(first)
        chain.isCongested = true
        for (let n = 0; n < untilGone - 1; n++) yield* tron.mine()
        assert.deepStrictEqual(yield* provider.outcome([first]), pending)
        const early = yield* Effect.flip(provider.sign(order({ previous: [first] })))
        assert.deepInclude(early, { obstacle: { _tag: "EarlierAttemptOpen" } })
        yield* tron.mine()
        assert.deepStrictEqual(yield* provider.outcome([first]), overdue)

        const second = yield* provider.sign(order({ previous: [first] }))
        assert.strictEqual(second.attempt, 2)
        assert.notStrictEqual(second.reference, first.reference)
        chain.isCongested = false
        yield* provider.send(first)
        yield* provider.send(second)
        assert.deepStrictEqual(yield* provider.outcome([first, second]), pending)
        yield* tron.mine(solidDepth + 1)
        assert.deepStrictEqual(yield* provider.outcome([first, second]), {
          _tag: "Settled",
          reference: second.reference
        })
        assert.deepStrictEqual(chain.received(payeeHex), [usd(997)])
      })
  )

  payments("I14: settles an attempt that was included in the last possible block", (tron) =>
    Effect.gen(function* () {
      const { chain, provider } = tron
      const first = yield* provider.sign(order())
      yield* provider.send(first)
      chain.isCongested = true
      while (chain.head.timestampMillis + 3_000 < first.expiresAtMillis!) yield* tron.mine()
      chain.isCongested = false
      yield* tron.mine()
      assert.isDefined(chain.find(first.reference))
      assert.isAtLeast(chain.head.timestampMillis + 3_000, first.expiresAtMillis!)
      yield* tron.mine(solidDepth)
      assert.deepInclude(yield* provider.outcome([first]), { _tag: "Settled" })
      const refused = yield* Effect.flip(provider.sign(order({ previous: [first] })))
      assert.strictEqual(refused._tag, "SigningRefused")
    })
  )

  payments(
    "I14: does not report an attempt as overdue while a node that might have the attempt fails or lags",
    (tron) =>
      Effect.gen(function* () {
        const { chain, provider, servers } = tron
        const first = yield* provider.sign(order())
        yield* provider.send(first)
        chain.isCongested = true
        yield* tron.mine(untilGone + 5)
        servers[1]!.failure = "unavailable"
        assert.strictEqual((yield* Effect.flip(provider.outcome([first])))._tag, "RailUnavailable")
        const signing = yield* Effect.flip(provider.sign(order({ previous: [first] })))
        assert.strictEqual(signing._tag, "RailUnavailable")
        servers[1]!.failure = "none"
        servers[1]!.behind = 30
        assert.deepStrictEqual(yield* provider.outcome([first]), pending)
        servers[1]!.behind = 0
        assert.deepStrictEqual(yield* provider.outcome([first]), overdue)
      }),
    2
  )

  payments(
    "settles a payment if its block is final on one node, even if another node fails or lags",
    (tron) =>
      Effect.gen(function* () {
        const { provider, servers } = tron
        const first = yield* provider.sign(order())
        yield* provider.send(first)
        yield* tron.mine(solidDepth + 1)
        for (const failure of ["unavailable", "malformed"] as const) {
          servers[0]!.failure = failure
          assert.deepInclude(yield* provider.outcome([first]), { _tag: "Settled" })
        }
        servers[0]!.failure = "none"
        servers[0]!.behind = 5
        assert.deepInclude(yield* provider.outcome([first]), { _tag: "Settled" })
      }),
    2
  )
})

describe("a cancel on TRON", () => {
  payments("fails a cancelled withdrawal only once the payment attempt can no longer be included", (tron) =>
    Effect.gen(function* () {
      const { chain, provider } = tron
      const first = yield* provider.sign(order())
      yield* provider.send(first)
      chain.isCongested = true
      const cancel = yield* provider.sign(order({ purpose: "cancel", previous: [first] }))
      assert.deepInclude(cancel, { attempt: 2, purpose: "cancel" })
      yield* provider.send(cancel)
      assert.deepStrictEqual(yield* provider.outcome([first, cancel]), pending)
      yield* tron.mine(untilGone + 5)
      assert.deepStrictEqual(yield* provider.outcome([first, cancel]), {
        _tag: "Failed",
        reference: null,
        reason: { _tag: "PaymentCancelled" }
      })
      const paid = yield* Effect.flip(provider.sign(order({ previous: [first, cancel] })))
      assert.deepInclude(paid, { obstacle: { _tag: "PaymentCancelled" } })
      chain.isCongested = false
      yield* provider.send(first)
      yield* tron.mine(30)
      assert.deepStrictEqual(chain.received(payeeHex), [])
    })
  )

  payments("settles a cancelled withdrawal whose payment attempt was included anyway", (tron) =>
    Effect.gen(function* () {
      const { provider } = tron
      const first = yield* provider.sign(order())
      yield* provider.send(first)
      const cancel = yield* provider.sign(order({ purpose: "cancel", previous: [first] }))
      yield* tron.mine(solidDepth + 1)
      assert.deepStrictEqual(yield* provider.outcome([first, cancel]), { _tag: "Settled", reference: first.reference })
    })
  )

  payments("immediately fails a cancelled withdrawal if no payment was signed", ({ provider }) =>
    Effect.gen(function* () {
      const cancel = yield* provider.sign(order({ purpose: "cancel" }))
      assert.deepInclude(yield* provider.outcome([cancel]), { _tag: "Failed", reason: { _tag: "PaymentCancelled" } })
      assert.deepStrictEqual(yield* provider.outcome([]), pending)
    })
  )
})

describe("payments that are not signed or sent", () => {
  const refused: ReadonlyArray<readonly [what: string, given: Partial<PaymentOrder>, obstacle: string]> = [
    ["an address of another chain", { destination: Redacted.make(`0x${"9e".repeat(20)}`) }, "InvalidDestination"],
    ["the token itself", { destination: Redacted.make(TronAddress.ofHex(token)) }, "UnpayableDestination"],
    ["the hot account", { destination: Redacted.make(TronAddress.ofHex(hot)) }, "UnpayableDestination"],
    [
      "the zero address",
      { destination: Redacted.make(TronAddress.ofHex(`41${"0".repeat(40)}`)) },
      "UnpayableDestination"
    ],
    ["an account that holds too little", { amount: usd(1_000_001) }, "TokenBalanceTooLow"]
  ]
  for (const [what, given, obstacle] of refused) {
    payments(`refuses a payment to or from ${what}`, ({ provider }) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(provider.sign(order(given)))
        assert.strictEqual(error._tag, "SigningRefused")
        assert.strictEqual(Reflect.get(error, "obstacle")._tag, obstacle)
        assert.deepStrictEqual(yield* Effect.flip(provider.check(order(given), nothing)), error)
        // A cancel is allowed even if the payment is not.
        const cancel = order({ ...given, purpose: "cancel" })
        yield* provider.check(cancel, nothing)
        assert.strictEqual((yield* provider.outcome([yield* provider.sign(cancel)]))._tag, "Failed")
      })
    )
  }

  it.effect("refuses to send a transaction if the signer signed another amount", () =>
    withNodes(
      Effect.gen(function* () {
        const { provider } = yield* scene(1, (given) => honest({ ...given, amount: given.amount + 1n }))
        const error = yield* Effect.flip(provider.sign(order()))
        assert.deepInclude(error, { obstacle: { _tag: "SignedOtherPayment" } })
      })
    )
  )

  payments("signs nothing if the newest block's time is two minutes off this machine's clock", (tron) =>
    Effect.gen(function* () {
      yield* TestClock.adjust("121 seconds")
      const error = yield* Effect.flip(tron.provider.sign(order()))
      assert.match(
        String((error as { cause: unknown }).cause),
        /differs from this machine's clock by more than two minutes/
      )
    })
  )

  payments(
    "sends a payment to all nodes, and succeeds if one node accepts it",
    (tron) =>
      Effect.gen(function* () {
        const { chain, provider, servers } = tron
        const payment = yield* provider.sign(order())
        servers[0]!.failure = "unavailable"
        yield* provider.send(payment)
        assert.isTrue(chain.pool.has(payment.reference))
        servers[1]!.failure = "silent"
        servers[1]!.failsAt = "/none"
        yield* provider.send(payment)
        servers[1]!.failure = "unavailable"
        servers[1]!.failsAt = undefined
        assert.strictEqual((yield* Effect.flip(provider.send(payment)))._tag, "RailUnavailable")
      }),
    2
  )

  payments("I46: quotes a node's refusal code in the error, without the transaction", (tron) =>
    Effect.gen(function* () {
      const { chain, provider } = tron
      const payment = yield* provider.sign(order())
      // The block that the transaction refers to no longer exists.
      chain.blocks.splice(10)
      yield* tron.mine(40)
      const error = yield* Effect.flip(provider.send(payment))
      assert.match(String(error.cause), /did not accept the transaction: TAPOS_ERROR/)
      const bytes = Redacted.value(payment.bytes).slice(2)
      for (const seen of [inspect(error, { depth: null }), inspect(payment), JSON.stringify(payment)])
        assert.notInclude(seen, bytes)
    })
  )
})

it.effect("passes every part of the transaction and the final block's time to the signer", () =>
  withNodes(
    Effect.gen(function* () {
      const told: Array<Parameters<typeof honest>[0]> = []
      const { chain, provider } = yield* scene(1, (given) => {
        told.push(given)
        return honest(given)
      })
      const payment: Payment = yield* provider.sign(order())
      assert.deepStrictEqual(told, [
        {
          _tag: "TronPayment",
          withdrawalId: "w-1",
          token: TronAddress.ofHex(token),
          destination: payee,
          amount: usd(997),
          refBlockId: chain.solid.id,
          expirationMillis: payment.expiresAtMillis!,
          timestampMillis: chain.head.timestampMillis,
          feeLimit: 100_000_000,
          solidMillis: chain.solid.timestampMillis
        }
      ])
    })
  )
)
