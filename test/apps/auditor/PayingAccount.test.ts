/** Tests that the books equal the chain of a real node after strangers' deposits to the hot account. */
import { Users } from "@venue/storage/access/Users"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { assert, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import * as TestChain from "../../providers/rails/arbitrum/TestChain.ts"
import * as TestRail from "../../providers/rails/arbitrum/TestRail.ts"
import * as RailVenue from "./RailVenue.ts"
import * as Changes from "../../storage/treasury/Changes.ts"

const rail = "ARBITRUM_ONE"
const usd = (whole: number) => BigInt(whole * 1_000_000)

layer(RailVenue.layer, { timeout: "60 seconds" })("deposits to the hot account", (it) => {
  it.effect(
    "I12: reports no difference after a stranger's deposit to the hot account, and an operator can assign the deposit",
    () =>
      Effect.gen(function* () {
        yield* (yield* Users).create({ userId: RailVenue.user, name: "amy" })
        const { assign, find, own, unmatched } = yield* Changes.deposits
        const { read } = yield* ReadTables
        const chain = yield* TestChain.make
        yield* chain.mine(30)
        const { pass } = yield* RailVenue.over(yield* TestRail.make(chain))
        const { address } = yield* (yield* DepositAddresses).provide(RailVenue.user, rail, TestRail.addressAt)
        yield* pass(2)

        const sent = Effect.fnUntraced(function* (to: string, amount: bigint) {
          const depositId = `${rail}/${yield* chain.mint(to, amount)}/0`
          yield* chain.mine()
          return depositId
        })
        const deposit = (depositId: string) => Effect.map(find(depositId), Option.getOrThrow)
        const ours = yield* sent(TestRail.hot, usd(300))
        const amys = yield* sent(TestRail.hot, usd(40))
        const dust = yield* sent(TestRail.hot, 1n)
        const known = yield* sent(address, usd(500))
        yield* pass(2)
        yield* chain.mine(20)
        yield* pass(3)
        assert.deepInclude(yield* deposit(known), { state: "CREDITED", userId: RailVenue.user })
        assert.deepInclude(yield* deposit(dust), { state: "CONFIRMED", reason: "below-minimum" })
        const waiting = yield* unmatched({ limit: 10, offset: 0 })
        assert.sameMembers(
          waiting.map(({ depositId }) => depositId),
          [ours, amys]
        )
        assert.strictEqual(waiting[0]!.reason, "paying-account")

        // A reorganisation could still remove the deposit.
        assert.isFalse(yield* own(yield* deposit(ours), "a top-up"))
        assert.isTrue(yield* assign(amys, RailVenue.user, null))
        yield* chain.mine(64)
        yield* pass(3)
        assert.deepInclude(yield* deposit(amys), { state: "CREDITED" })
        assert.isFalse(yield* own(yield* deposit(amys), "a top-up"))
        assert.isTrue(yield* own(yield* deposit(ours), "a top-up"))
        assert.isFalse(yield* own(yield* deposit(ours), "a top-up"))
        assert.isFalse(yield* assign(ours, RailVenue.user, null))
        yield* pass(3)
        assert.deepStrictEqual(yield* unmatched({ limit: 10, offset: 0 }), [])
        assert.strictEqual(yield* read(LedgerEntries.balance(LedgerEntries.ownAccount)), usd(300))
        assert.strictEqual(yield* read(LedgerEntries.balance(LedgerEntries.externalAccount(rail))), -usd(300))
        assert.isTrue((yield* read(LedgerEntries.sumByAsset)).every(({ sum }) => sum === 0n))
      }).pipe(Effect.scoped),
    900_000
  )
})
