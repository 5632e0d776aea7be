import type { SigningOrder } from "@venue/providers/rails/SigningOrder"
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as SigningPolicy from "../../../apps/wallet/SigningPolicy.ts"
import { cancel, destination, limits, payment, sweep } from "./Orders.ts"

const day = 86_400_000

/** Decides, and remembers what is to be remembered. */
const ask = (policy: SigningPolicy.SigningPolicy, order: SigningOrder, now = 0) =>
  Result.map(SigningPolicy.decide(policy, limits, order, now), (event) => {
    if (event !== undefined) SigningPolicy.apply(policy, event)
    return event?._tag
  })
const reasonOf = (policy: SigningPolicy.SigningPolicy, order: SigningOrder, now = 0) =>
  Result.match(ask(policy, order, now), { onFailure: (reason) => reason, onSuccess: () => "signed" })

it("a withdrawal is signed again only as it was, at other fees", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(reasonOf(policy, payment()), "signed")
  assert.strictEqual(reasonOf(policy, payment({ maxFeePerGas: 7n, maxPriorityFeePerGas: 3n, gas: 90_000n })), "signed")
  assert.strictEqual(reasonOf(policy, payment({ destination: destination.toLowerCase() })), "signed")
  for (const other of [{ nonce: 5 }, { amount: 41_000_000n }, { destination: `0x${"12".repeat(20)}` }])
    assert.match(reasonOf(policy, payment(other)), /was signed already, with another nonce, amount or destination/)
})

it("a nonce is one withdrawal's, for its payments and its cancel alike", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(reasonOf(policy, payment()), "signed")
  assert.match(reasonOf(policy, payment({ withdrawalId: "other" })), /nonce 4 is another withdrawal's/)
  assert.match(reasonOf(policy, cancel({ withdrawalId: "other" })), /nonce 4 is another withdrawal's/)
  assert.match(reasonOf(policy, cancel({ nonce: 5 })), /the withdrawal has nonce 4/)
  assert.strictEqual(reasonOf(policy, cancel()), "signed")
  assert.strictEqual(reasonOf(policy, cancel({ maxFeePerGas: 9n })), "signed")
})

it("what was cancelled is not paid any more, and a nonce of which nothing was signed can be used up", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(reasonOf(policy, cancel()), "signed")
  assert.strictEqual(reasonOf(policy, payment()), "the withdrawal was cancelled")
  assert.match(reasonOf(policy, payment({ withdrawalId: "other" })), /is another withdrawal's/)
})

it("a payment and a day have their limits; a replacement counts once, and a new day begins anew", () => {
  const policy = SigningPolicy.empty()
  const of = (id: number, amount: bigint) => payment({ withdrawalId: `w${id}`, nonce: id, amount })
  assert.match(reasonOf(policy, of(1, 100_000_001n)), /100000001 is above the 100000000 that one payment may be/)
  for (const id of [1, 2, 2, 2]) assert.strictEqual(reasonOf(policy, of(id, 100_000_000n)), "signed")
  assert.strictEqual(reasonOf(policy, of(3, 50_000_000n)), "signed")
  assert.match(reasonOf(policy, of(4, 1n)), /the payments of today would be 250000001, above 250000000/)
  assert.match(reasonOf(policy, of(4, 1n), day - 1), /the payments of today/)
  assert.strictEqual(reasonOf(policy, of(4, 100_000_000n), day), "signed")
  // A clock that goes back begins no new day, and gives nothing back.
  assert.strictEqual(reasonOf(policy, of(5, 100_000_000n), 0), "signed")
  assert.match(reasonOf(policy, of(6, 100_000_000n), 0), /the payments of today/)
})

it("another chain, another token, too much for gas and too much gas are refused in every order", () => {
  const policy = SigningPolicy.empty()
  for (const order of [payment, cancel, sweep]) {
    assert.match(reasonOf(policy, order({ chainId: 1 })), /it is for chain 1, and this wallet signs for 42161/)
    assert.match(reasonOf(policy, order({ token: `0x${"9".repeat(40)}` })), /it is about another token/)
    assert.match(reasonOf(policy, order({ maxFeePerGas: 5_000_000_001n })), /it offers 5000000001 wei for gas/)
    assert.match(reasonOf(policy, order({ gas: 2_000_001n })), /it takes 2000001 of gas/)
  }
  assert.strictEqual(policy.withdrawals.size, 0)
})

const small = fc.integer({ min: 0, max: 3 })
const orders = fc.array(
  fc.record({ id: small, nonce: small, amount: small, isCancel: fc.boolean(), day: fc.integer({ min: 0, max: 2 }) }),
  { maxLength: 40 }
)

it("whatever is asked, each withdrawal has one nonce, amount and destination, and each nonce one withdrawal", () => {
  fc.assert(
    fc.property(orders, (asked) => {
      const policy = SigningPolicy.empty()
      const paid = new Map<string, string>()
      const nonces = new Map<number, string>()
      const cancelled = new Set<string>()
      for (const one of asked) {
        const { amount, id, isCancel, nonce } = one
        const withdrawalId = `w${id}`
        const order = isCancel
          ? cancel({ withdrawalId, nonce })
          : payment({ withdrawalId, nonce, amount: BigInt(amount + 1) })
        if (Result.isFailure(ask(policy, order, one.day * day))) continue
        assert.strictEqual(nonces.get(nonce) ?? withdrawalId, withdrawalId)
        nonces.set(nonce, withdrawalId)
        if (isCancel) cancelled.add(withdrawalId)
        else {
          const said = `${nonce} ${amount}`
          assert.strictEqual(paid.get(withdrawalId) ?? said, said)
          assert.isFalse(cancelled.has(withdrawalId))
          paid.set(withdrawalId, said)
        }
      }
    })
  )
})
