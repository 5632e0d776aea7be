/** Referrals in the ledger of one trader. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import * as OpenInterest from "@venue/domain/OpenInterest"
import { flat } from "@venue/domain/Position"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { Result } from "effect"
import { aapl, alice, instruments, make, type Scene, usd } from "./Scene.ts"

const ref = UserId.make("ref")
const redeem = { _tag: "RedeemCode", code: "7ZK4M0QX2P", referrerId: ref } as const
const credit = (day: number, amount: bigint) => ({ _tag: "CreditReferrals", day, amount }) as const
const refusedAs = (scene: Scene, command: Parameters<Scene["ask"]>[0]) => {
  const decided = scene.ask(command)
  return Result.isFailure(decided) ? decided.failure._tag : undefined
}

test("rule 13.1: a user redeems at most one code, permanently", () => {
  const scene = make()
  assert.deepStrictEqual(
    scene.ask(redeem),
    Result.succeed([{ _tag: "Referred", code: "7ZK4M0QX2P", referrerId: ref, atMillis: 1_000 }])
  )
  assert.strictEqual(refusedAs(scene, redeem), "AlreadyReferred")
  assert.strictEqual(refusedAs(scene, { ...redeem, referrerId: UserId.make("other") }), "AlreadyReferred")
})

test("I8: returns RequestDone for a repeated redemption with the same key", () => {
  const scene = make()
  const keyed = { ...redeem, request: { requestId: "k", fingerprint: "f" } }
  assert.isUndefined(refusedAs(scene, keyed))
  assert.strictEqual(refusedAs(scene, keyed), "RequestDone")
})

test("rule 13.1: refuses a redemption by a user who has traded on any account, and accepts one by a user who only had an order", () => {
  const traded = make()
  const position = { ...flat(), cashFlow: 5, fees: 1 }
  Ledger.apply(traded.trader, { _tag: "AccountOpened", accountId: AccountId.make("sub") })
  Ledger.adopt(traded.trader, aapl, AccountId.make("sub"), { position, isFrozen: false, orders: [], stops: [] })
  assert.strictEqual(refusedAs(traded, redeem), "HasTraded")
  const ordered = make()
  ordered.credit(1_000)
  ordered.price(aapl, 200)
  ordered.accept(ordered.placed("BUY", 1, 198))
  assert.isUndefined(refusedAs(ordered, redeem))
})

test("rule 13.4: credits each day's reward once to the primary account, immediately available and withdrawable", () => {
  const scene = make()
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  scene.credit(100)
  scene.ask(credit(20_778, usd(7)))
  assert.deepStrictEqual(scene.ask(credit(20_778, usd(7))), Result.succeed([]))
  assert.deepStrictEqual(scene.ask(credit(20_777, usd(9))), Result.succeed([]))
  scene.ask(credit(20_780, usd(1)))
  assert.deepInclude(scene.balance(), {
    deposit: usd(100),
    referralRewards: usd(8),
    equity: usd(108),
    available: usd(108),
    withdrawable: usd(108)
  })
  assert.strictEqual(Ledger.balance(scene.trader, AccountId.make("sub"))!.equity, 0n)
})

test("I6: restores referrer and rewards from a snapshot", () => {
  const scene = make()
  scene.ask(redeem)
  scene.ask(credit(20_778, usd(7)))
  const stored = Ledger.snapshot(scene.trader)
  const fresh = () => Ledger.make(alice, instruments, scene.prices, OpenInterest.none(), Ledger.defaults)
  const restored = fresh()
  Ledger.restore(restored, stored)
  assert.strictEqual(Ledger.hash(restored), Ledger.hash(scene.trader))
  assert.deepStrictEqual(Ledger.balance(restored, primaryAccountOf(alice)), scene.balance())
  assert.deepStrictEqual(Ledger.decide(restored, credit(20_778, usd(7)), 0), Result.succeed([]))
})
