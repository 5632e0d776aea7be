import * as ReasonText from "@venue/api/treasury/ReasonText"
import { assert, describe, it } from "@effect/vitest"
import type { Outcome, Payment, PaymentOrder, RailProvider } from "@venue/providers/rails/RailProvider"
import * as Transactions from "@venue/providers/rails/arbitrum/Transactions"
import { Signer } from "@venue/providers/rails/Signer"
import { Effect, Redacted } from "effect"
import * as TestChain from "./TestChain.ts"
import * as TestRail from "./TestRail.ts"

const destination = "0x90F79bf6EB2c4f870365E785982E1f101E93b906"
const ether = 10n ** 18n

const { order } = TestRail

/** A chain on which the venue has money. */
const funded = Effect.gen(function* () {
  const chain = yield* TestChain.make
  yield* chain.mint(TestRail.hot, 100_000_000n)
  yield* chain.giveGas(TestRail.hot, ether)
  yield* chain.mine()
  return chain
})

const said = ({ bytes }: Payment) => Effect.map(Transactions.read(Redacted.value(bytes)), (signed) => signed!)

const tagOf = (rail: RailProvider, ...payments: ReadonlyArray<Payment>) =>
  Effect.map(rail.outcome(payments), ({ _tag }): Outcome["_tag"] => _tag)

describe("withdrawals on a real chain", () => {
  it.live("settles a payment when its block is final, and not before", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain, { overdueMillis: 600_000 })
      assert.strictEqual(yield* rail.nextSequence({ next: 0, open: 0 }), 0)
      const payment = yield* rail.sign(order())
      assert.strictEqual((yield* said(payment)).nonce, 0)
      assert.strictEqual(yield* tagOf(rail, payment), "Pending")
      yield* rail.send(payment)
      assert.strictEqual(yield* tagOf(rail, payment), "Pending")
      yield* chain.mine()
      assert.strictEqual(yield* chain.balanceOf(destination), 40_000_000n)
      yield* chain.mine(63)
      assert.strictEqual(yield* tagOf(rail, payment), "Pending")
      yield* chain.mine()
      assert.deepStrictEqual(yield* rail.outcome([payment]), { _tag: "Settled", reference: payment.reference })
      assert.strictEqual(yield* rail.nextSequence({ next: 0, open: 0 }), 1)
    }).pipe(Effect.scoped)
  )

  it.live(
    "executes a payment once although it is resent while pending, after its replacement and after inclusion",
    () =>
      Effect.gen(function* () {
        const chain = yield* funded
        const rail = yield* TestRail.make(chain)
        const payment = yield* rail.sign(order())
        yield* rail.send(payment)
        yield* rail.send(payment)
        const replacement = yield* rail.sign(order({ previous: [payment] }))
        yield* rail.send(replacement)
        yield* rail.send(payment)
        yield* chain.mine()
        yield* rail.send(replacement)
        yield* rail.send(payment)
        yield* chain.mine()
        assert.strictEqual(yield* chain.balanceOf(destination), 40_000_000n)
      }).pipe(Effect.scoped)
  )

  it.live("reports a dropped transaction as pending, and executes the payment when the transaction is sent again", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain, { overdueMillis: 600_000 })
      const payment = yield* rail.sign(order())
      yield* rail.send(payment)
      yield* chain.rpc("anvil_dropTransaction", payment.reference)
      yield* chain.mine(100)
      assert.strictEqual(yield* tagOf(rail, payment), "Pending")
      yield* rail.send(payment)
      yield* chain.mine(65)
      assert.strictEqual(yield* tagOf(rail, payment), "Settled")
    }).pipe(Effect.scoped)
  )

  for (const depth of [3, 30]) {
    it.live(
      `reports a payment that a reorganisation of ${depth} blocks removed as pending until it is included again`,
      () =>
        Effect.gen(function* () {
          const chain = yield* funded
          const rail = yield* TestRail.make(chain, { overdueMillis: 600_000 })
          yield* chain.mine(70)
          const payment = yield* rail.sign(order())
          yield* rail.send(payment)
          yield* chain.mine(depth)
          assert.strictEqual(yield* chain.balanceOf(destination), 40_000_000n)
          yield* chain.reorganise(depth)
          assert.strictEqual(yield* chain.balanceOf(destination), 0n)
          assert.strictEqual(yield* tagOf(rail, payment), "Pending")
          yield* rail.send(payment)
          yield* chain.mine(65)
          assert.strictEqual(yield* tagOf(rail, payment), "Settled")
          assert.strictEqual(yield* chain.balanceOf(destination), 40_000_000n)
        }).pipe(Effect.scoped)
    )
  }

  it.live("reports an attempt with too low a fee as overdue, and executes a replacement with the same nonce", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain)
      const payment = yield* rail.sign(order())
      yield* rail.send(payment)
      const offered = (yield* said(payment)).maxFeePerGas
      yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", offered * 2n)
      yield* chain.mine()
      assert.strictEqual(yield* tagOf(rail, payment), "Overdue")
      const replacement = yield* rail.sign(order({ previous: [payment] }))
      const [before, after] = [yield* said(payment), yield* said(replacement)]
      assert.strictEqual(after.nonce, before.nonce)
      assert.strictEqual(after.data, before.data)
      assert.isTrue(after.maxFeePerGas * 8n >= before.maxFeePerGas * 9n)
      assert.isTrue(after.maxPriorityFeePerGas * 8n >= before.maxPriorityFeePerGas * 9n)
      assert.strictEqual(replacement.attempt, payment.attempt + 1)
      yield* rail.send(replacement)
      yield* chain.mine(65)
      assert.deepStrictEqual(yield* rail.outcome([payment, replacement]), {
        _tag: "Settled",
        reference: replacement.reference
      })
      assert.strictEqual(yield* chain.balanceOf(destination), 40_000_000n)
    }).pipe(Effect.scoped)
  )

  it.live("does not report an attempt behind an unexecuted nonce as overdue, because more gas would not help", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain)
      const second = yield* rail.sign(order({ withdrawalId: "withdrawal-2", sequence: 1 }))
      yield* rail.send(second)
      yield* chain.mine()
      assert.strictEqual(yield* tagOf(rail, second), "Pending")
    }).pipe(Effect.scoped)
  )

  it.live("once a cancel that uses the withdrawal's nonce is final, the withdrawal fails and is never paid", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain)
      const payment = yield* rail.sign(order())
      const cancel = yield* rail.sign(order({ purpose: "cancel", previous: [payment] }))
      assert.strictEqual((yield* said(cancel)).nonce, 0)
      yield* rail.send(cancel)
      yield* chain.mine()
      assert.strictEqual(yield* tagOf(rail, payment, cancel), "Pending")
      yield* chain.mine(64)
      const outcome = yield* rail.outcome([payment, cancel])
      assert.deepStrictEqual(outcome, {
        _tag: "Failed",
        reference: cancel.reference,
        reason: { _tag: "PaymentCancelled" }
      })
      yield* rail.send(payment)
      yield* chain.mine()
      assert.strictEqual(yield* chain.balanceOf(destination), 0n)
    }).pipe(Effect.scoped)
  )

  it.live("settles a payment that was executed before its cancel", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain)
      const payment = yield* rail.sign(order())
      yield* rail.send(payment)
      yield* chain.mine()
      const cancel = yield* rail.sign(order({ purpose: "cancel", previous: [payment] }))
      yield* rail.send(cancel)
      yield* chain.mine(64)
      assert.deepStrictEqual(yield* rail.outcome([payment, cancel]), {
        _tag: "Settled",
        reference: payment.reference
      })
    }).pipe(Effect.scoped)
  )

  it.live("reports a transfer that the token rejects as failed once its block is final", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain)
      const payment = yield* rail.sign(order())
      yield* chain.ask("setBlocked", destination, true)
      yield* chain.mine()
      yield* rail.send(payment)
      yield* chain.mine()
      assert.strictEqual(yield* tagOf(rail, payment), "Pending")
      yield* chain.mine(64)
      const outcome = yield* rail.outcome([payment])
      const reason = { _tag: "TransferRejected" } as const
      assert.deepStrictEqual(outcome, { _tag: "Failed", reference: payment.reference, reason })
    }).pipe(Effect.scoped)
  )

  it.live("leaves a withdrawal pending, for an operator to decide, if another transaction used its nonce", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain)
      const payment = yield* rail.sign(order())
      const other = yield* rail.sign(order({ withdrawalId: "withdrawal-2", amount: 1n }))
      yield* rail.send(other)
      yield* chain.mine(2)
      assert.deepStrictEqual(yield* rail.outcome([payment]), { _tag: "Pending" })
      yield* chain.mine(65)
      const obstacle = { _tag: "NonceUsed", nonce: 0 } as const
      assert.deepStrictEqual(yield* rail.outcome([payment]), { _tag: "Pending", obstacle })
    }).pipe(Effect.scoped)
  )

  it.live("refuses a payment that is unaffordable or that the chain would reject, and states the reason", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain)
      const reasonOf = (changed: Partial<PaymentOrder>) =>
        Effect.map(Effect.flip(rail.sign(order(changed))), (error) =>
          error._tag === "SigningRefused" ? ReasonText.obstacle(error.obstacle) : error._tag
        )
      const tooMuch = yield* reasonOf({ amount: 100_000_001n })
      assert.match(tooMuch, /Token balance too low: account 0x\w{40} holds 100 USD but needs 100.000001 USD/)
      for (const wrong of [chain.token, TestRail.hot, `0x${"0".repeat(40)}`, "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC"])
        assert.match(yield* reasonOf({ destination: Redacted.make(wrong) }), /The destination is/)
      yield* chain.ask("setBlocked", destination, true)
      yield* chain.mine()
      assert.match(yield* reasonOf({}), /The chain would reject the transaction: .*account is blocked/)
      yield* chain.ask("setBlocked", destination, false)
      yield* chain.giveGas(TestRail.hot, 1_000n)
      yield* chain.mine()
      assert.match(yield* reasonOf({}), /Gas balance too low: account 0x\w{40} holds 1000 wei but might need \d+/)
    }).pipe(Effect.scoped)
  )

  it.live("delays a payment with a reason if the fee exceeds the configured maximum", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const rail = yield* TestRail.make(chain, { maxFeePerGas: 5_000_000_000n })
      yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 3_000_000_000n)
      yield* chain.mine()
      const waiting = yield* Effect.flip(rail.sign(order()))
      assert.strictEqual(waiting._tag, "RailUnavailable")
      assert.match(String(waiting.cause), /fee of 6001000000 wei per gas exceeds the configured maximum of 5000000000/)
      yield* chain.rpc("anvil_setNextBlockBaseFeePerGas", 1_000_000_000n)
      yield* chain.mine()
      assert.strictEqual((yield* rail.sign(order())).purpose, "pay")
    }).pipe(Effect.scoped)
  )

  it.live("refuses a payment if the signer signed another amount", () =>
    Effect.gen(function* () {
      const chain = yield* funded
      const honest = yield* Effect.provide(Signer, Signer.layerLocal(TestRail.keys))
      const rail = yield* TestRail.make(chain, {
        signer: {
          ...honest,
          sign: (asked) =>
            honest.sign(asked._tag === "ArbitrumPayment" ? { ...asked, amount: asked.amount + 1n } : asked)
        }
      })
      const refused = yield* Effect.flip(rail.sign(order()))
      assert.deepInclude(refused, { obstacle: { _tag: "SignedOtherPayment" } })
    }).pipe(Effect.scoped)
  )
})
