import type { SigningOrder } from "@venue/providers/rails/SigningOrder"
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as SigningPolicy from "../../../apps/wallet/SigningPolicy.ts"
import { cancel, destination, limits, payment, sweep } from "./Orders.ts"

const day = 86_400_000

/** Decides an order and applies its event. */
const ask = (policy: SigningPolicy.SigningPolicy, order: SigningOrder, now = 0) =>
  Result.map(SigningPolicy.decide(policy, limits, order, now), (event) => {
    if (event !== undefined) SigningPolicy.apply(policy, event)
    return event?._tag
  })
const reasonOf = (policy: SigningPolicy.SigningPolicy, order: SigningOrder, now = 0) =>
  Result.match(ask(policy, order, now), { onFailure: (reason) => reason, onSuccess: () => "signed" })

it("signs a withdrawal again only if nothing except its fees has changed", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(reasonOf(policy, payment()), "signed")
  assert.strictEqual(reasonOf(policy, payment({ maxFeePerGas: 7n, maxPriorityFeePerGas: 3n, gas: 90_000n })), "signed")
  assert.strictEqual(reasonOf(policy, payment({ destination: destination.toLowerCase() })), "signed")
  for (const other of [{ nonce: 5 }, { amount: 41_000_000n }, { destination: `0x${"12".repeat(20)}` }])
    assert.match(reasonOf(policy, payment(other)), /was already signed, with another nonce, amount or destination/)
})

it("a withdrawal and its cancel share one nonce that no other withdrawal can use", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(reasonOf(policy, payment()), "signed")
  assert.match(reasonOf(policy, payment({ withdrawalId: "other" })), /nonce 4 belongs to another withdrawal/)
  assert.match(reasonOf(policy, cancel({ withdrawalId: "other" })), /nonce 4 belongs to another withdrawal/)
  assert.match(reasonOf(policy, cancel({ nonce: 5 })), /the withdrawal has nonce 4/)
  assert.strictEqual(reasonOf(policy, cancel()), "signed")
  assert.strictEqual(reasonOf(policy, cancel({ maxFeePerGas: 9n })), "signed")
})

it("refuses to pay a cancelled withdrawal, but still signs the cancel of an unused nonce", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(reasonOf(policy, cancel()), "signed")
  assert.strictEqual(reasonOf(policy, payment()), "the withdrawal was cancelled")
  assert.match(reasonOf(policy, payment({ withdrawalId: "other" })), /belongs to another withdrawal/)
})

it("limits each payment and the total of a day, and counts a payment that is signed again only once", () => {
  const policy = SigningPolicy.empty()
  const of = (id: number, amount: bigint) => payment({ withdrawalId: `w${id}`, nonce: id, amount })
  assert.match(reasonOf(policy, of(1, 100_000_001n)), /the payment is 100000001; the maximum is 100000000/)
  for (const id of [1, 2, 2, 2]) assert.strictEqual(reasonOf(policy, of(id, 100_000_000n)), "signed")
  assert.strictEqual(reasonOf(policy, of(3, 50_000_000n)), "signed")
  assert.match(reasonOf(policy, of(4, 1n)), /today's payments would total 250000001; the maximum is 250000000/)
  assert.match(reasonOf(policy, of(4, 1n), day - 1), /today's payments/)
  assert.strictEqual(reasonOf(policy, of(4, 100_000_000n), day), "signed")
  // If the clock goes back, the later day and its limit still apply.
  assert.strictEqual(reasonOf(policy, of(5, 100_000_000n), 0), "signed")
  assert.match(reasonOf(policy, of(6, 100_000_000n), 0), /today's payments/)
})

it("refuses to sign for another chain or token, or with too high a fee or too much gas", () => {
  const policy = SigningPolicy.empty()
  for (const order of [payment, cancel, sweep]) {
    assert.match(
      reasonOf(policy, order({ chainId: 1 })),
      /the signing order is for chain 1; this wallet signs for chain 42161/
    )
    assert.match(
      reasonOf(policy, order({ token: `0x${"9".repeat(40)}` })),
      /the signing order is for token 0x9{40}; this wallet signs for token/
    )
    assert.match(
      reasonOf(policy, order({ maxFeePerGas: 5_000_000_001n })),
      /the signing order offers 5000000001 wei per gas; the maximum is/
    )
    assert.match(reasonOf(policy, order({ gas: 2_000_001n })), /the signing order allows 2000001 gas; the maximum is/)
  }
  assert.strictEqual(policy.withdrawals.size, 0)
})

const small = fc.integer({ min: 0, max: 3 })
const orders = fc.array(
  fc.record({ id: small, nonce: small, amount: small, isCancel: fc.boolean(), day: fc.integer({ min: 0, max: 2 }) }),
  { maxLength: 40 }
)

it("signs only one nonce, amount and destination per withdrawal, for any sequence of orders", () => {
  fc.assert(
    fc.property(orders, (sequence) => {
      const policy = SigningPolicy.empty()
      const paid = new Map<string, string>()
      const nonces = new Map<number, string>()
      const cancelled = new Set<string>()
      for (const step of sequence) {
        const { amount, id, isCancel, nonce } = step
        const withdrawalId = `w${id}`
        const order = isCancel
          ? cancel({ withdrawalId, nonce })
          : payment({ withdrawalId, nonce, amount: BigInt(amount + 1) })
        if (Result.isFailure(ask(policy, order, step.day * day))) continue
        assert.strictEqual(nonces.get(nonce) ?? withdrawalId, withdrawalId)
        nonces.set(nonce, withdrawalId)
        if (isCancel) cancelled.add(withdrawalId)
        else {
          const terms = `${nonce} ${amount}`
          assert.strictEqual(paid.get(withdrawalId) ?? terms, terms)
          assert.isFalse(cancelled.has(withdrawalId))
          paid.set(withdrawalId, terms)
        }
      }
    })
  )
})
