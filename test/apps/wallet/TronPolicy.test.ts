import type { SigningOrder } from "@venue/providers/rails/SigningOrder"
import { Result } from "effect"
import * as fc from "fast-check"
import { assert, it } from "vitest"
import * as SigningPolicy from "../../../apps/wallet/SigningPolicy.ts"
import { limits as others, payment } from "./Orders.ts"
import { tronLimits, tronPayment } from "./TronOrders.ts"

const limits = { ...others, tron: tronLimits }
const start = Date.UTC(2026, 2, 1)
const minute = 60_000

/** Decides an order and applies its event. */
const ask = (policy: SigningPolicy.SigningPolicy, order: SigningOrder, now: number): string =>
  Result.match(SigningPolicy.decide(policy, limits, order, now), {
    onFailure: (reason) => reason,
    onSuccess: (event) => {
      if (event === undefined) return "again"
      SigningPolicy.apply(policy, event)
      return "signed"
    }
  })

it("I14: signs another transaction for a withdrawal only after the first has expired by both clocks", () => {
  const policy = SigningPolicy.empty()
  const first = tronPayment(start)
  assert.strictEqual(ask(policy, first, start), "signed")
  assert.strictEqual(ask(policy, first, start + 60 * minute), "again")
  const another = (now: number, solidMillis: number) => ask(policy, tronPayment(now, { solidMillis }), now)
  const over = first.expirationMillis
  const refused = "an earlier transaction of the withdrawal might still be executed"
  assert.strictEqual(another(start + 1, start), refused)
  // The transaction has expired by the final block's time, but not by this machine's clock.
  assert.strictEqual(another(over + 5 * minute - 1, over), refused)
  // The transaction has expired by this machine's clock, but not by the final block's time.
  assert.strictEqual(another(over + 60 * minute, over - 1), refused)
  assert.strictEqual(another(over + 5 * minute, over), "signed")
  assert.strictEqual(another(over + 6 * minute, over + minute), refused)
})

it("once a withdrawal is signed, permanently refuses another destination or amount for it", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(ask(policy, tronPayment(start), start), "signed")
  const late = start + 600 * minute
  for (const other of [{ amount: 1n }, { destination: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC" }])
    assert.match(ask(policy, tronPayment(late, other), late), /already signed, with another destination or amount/)
})

it("I14: refuses to pay a withdrawal on a chain if it was signed for the other chain", () => {
  const policy = SigningPolicy.empty()
  assert.strictEqual(ask(policy, tronPayment(start), start), "signed")
  assert.match(ask(policy, payment(), start), /already signed, on TRON/)
  assert.strictEqual(ask(policy, payment({ withdrawalId: "w-2" }), start), "signed")
  assert.match(ask(policy, tronPayment(start, { withdrawalId: "w-2" }), start), /already signed, on another chain/)
})

it("refuses another token, too high a fee, too late an expiration, or a final block ahead of the clock", () => {
  const policy = SigningPolicy.empty()
  const reason = (changed: Parameters<typeof tronPayment>[1]) => ask(policy, tronPayment(start, changed), start)
  assert.match(reason({ token: "TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC" }), /the signing order is for token TMVQ/)
  assert.match(reason({ feeLimit: 100_000_001 }), /the maximum is 100000000 \(in 1e-6 TRX\)/)
  assert.match(reason({ expirationMillis: start + 30 * minute + 1 }), /more than 30 min from now/)
  assert.match(reason({ solidMillis: start + 2 * minute + 1 }), /ahead of this machine's clock/)
  assert.match(
    Result.getOrElse(SigningPolicy.decide(policy, others, tronPayment(start), start), (reason) => reason) as string,
    /no key for TRON/
  )
  assert.strictEqual(policy.tron.size, 0)
})

it("limits a day's payments over all chains, and counts a second transaction of a withdrawal as another payment", () => {
  const policy = SigningPolicy.empty()
  const of = (id: string, amount: bigint, now = start) =>
    ask(policy, tronPayment(now, { withdrawalId: id, amount, solidMillis: now }), now)
  assert.match(of("a", 100_000_001n), /the payment is 100000001; the maximum is/)
  assert.strictEqual(of("a", 100_000_000n), "signed")
  assert.strictEqual(ask(policy, payment({ amount: 50_000_000n }), start), "signed")
  const later = start + 20 * minute
  assert.strictEqual(of("a", 100_000_000n, later), "signed")
  assert.match(of("b", 1n, later), /today's payments would total 250000001/)
  assert.match(ask(policy, payment({ withdrawalId: "c", nonce: 9, amount: 1n }), later), /today's payments/)
  assert.strictEqual(of("b", 1n, start + 24 * 60 * minute), "signed")
})

it("I14: a withdrawal never has two valid transactions at the same time, whatever orders arrive", () => {
  const asks = fc.array(
    fc.record({
      after: fc.integer({ min: 0, max: 900_000 }),
      id: fc.integer({ min: 0, max: 1 }),
      ahead: fc.nat(900_000)
    }),
    { maxLength: 40 }
  )
  fc.assert(
    fc.property(asks, (sequence) => {
      const policy = SigningPolicy.empty()
      const ends = new Map<string, number>()
      let now = start
      for (const { after, ahead, id } of sequence) {
        now += after
        const withdrawalId = `w${id}`
        const order = tronPayment(now, { withdrawalId, amount: 1n, solidMillis: now + 120_000 - ahead })
        if (ask(policy, order, now) !== "signed") continue
        assert.isTrue((ends.get(withdrawalId) ?? 0) <= now)
        ends.set(withdrawalId, order.expirationMillis)
      }
    })
  )
})
