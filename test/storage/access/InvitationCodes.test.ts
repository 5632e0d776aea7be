/** Tests of invitation codes, in memory and on Postgres. */
import { traderStream } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { InvitationCodes } from "@venue/storage/access/InvitationCodes"
import { Users } from "@venue/storage/access/Users"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"
import { claimed } from "./OpenedAccount.ts"

/** Records the redemption of a code as a desk does. */
const redeem = Effect.fnUntraced(function* (userId: UserId, code: string, referrerId: UserId) {
  const journal = yield* Journal
  const from = yield* claimed(userId)
  let isCollected = false
  yield* Effect.callback<void>((resume) => {
    const collect = () => {
      if (isCollected) return undefined
      isCollected = true
      const events = TraderRecord.encode([{ _tag: "Referred", code, referrerId, atMillis: 0 }])
      return { events, alongside: [{ _tag: "RedeemedCode" as const, userId, code }] }
    }
    const lost = (why: string) => resume(Effect.die(why))
    journal.append({ stream: traderStream(userId), collect, committed: () => resume(Effect.void), lost }, from).wake()
  })
})

const suite = (name: string, services: Layer.Layer<InvitationCodes | Users | Journal, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    const users = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
      const people = yield* Users
      const ids = names.map((each) => UserId.make(each))
      yield* Effect.forEach(ids, (userId) => people.create({ userId, name: userId }))
      return ids as unknown as readonly [UserId, UserId, UserId]
    })

    it.effect("issues a user's invitation codes once, even under repeated and concurrent calls", () =>
      Effect.gen(function* () {
        const codes = yield* InvitationCodes
        const [amy] = yield* users("issue-amy")
        yield* TestClock.setTime(5_000)
        yield* Effect.all([codes.issue(amy, ["A1", "A2"]), codes.issue(amy, ["A3", "A4"])], {
          concurrency: "unbounded"
        })
        yield* codes.issue(amy, ["A5", "A6"])
        const issued = yield* codes.ofUser(amy)
        assert.deepStrictEqual(
          issued.map(({ number }) => number),
          [0, 1]
        )
        assert.deepInclude(issued[0]!, { createdAtMillis: 5_000, heldFor: null, redeemedAtMillis: null })
      })
    )

    it.effect("reserves an invitation code for the first user, and for another user only after its release", () =>
      Effect.gen(function* () {
        const codes = yield* InvitationCodes
        const [amy, ben, cid] = yield* users("hold-amy", "hold-ben", "hold-cid")
        yield* codes.issue(amy, ["H1"])
        assert.strictEqual(yield* codes.hold("H1", ben), amy)
        assert.strictEqual(yield* codes.hold("H1", ben), amy)
        assert.strictEqual((yield* Effect.flip(codes.hold("H1", cid)))._tag, "UnknownInvitationCode")
        yield* codes.release("H1", cid)
        assert.strictEqual((yield* Effect.flip(codes.hold("H1", cid)))._tag, "UnknownInvitationCode")
        yield* codes.release("H1", ben)
        assert.strictEqual((yield* Effect.flip(codes.hold("H1", amy)))._tag, "OwnInvitationCode")
        assert.strictEqual(yield* codes.hold("H1", cid), amy)
        for (const text of ["", "NONE", "\0", "'; drop table invitation_code"]) {
          assert.strictEqual((yield* Effect.flip(codes.hold(text, ben)))._tag, "UnknownInvitationCode")
        }
        assert.deepStrictEqual(yield* codes.referredBy([amy]), [])
      })
    )

    it.effect(
      "I8: counts a referral when the journal records it, and does not release the invitation code afterwards",
      () =>
        Effect.gen(function* () {
          const codes = yield* InvitationCodes
          const [amy, ben, cid] = yield* users("brought-amy", "brought-ben", "brought-cid")
          yield* codes.issue(amy, ["B1", "B2"])
          yield* codes.hold("B1", ben)
          yield* redeem(ben, "B1", amy)
          yield* codes.release("B1", ben)
          yield* codes.hold("B2", cid)
          yield* redeem(cid, "B2", amy)
          assert.strictEqual(yield* codes.hold("B1", ben), amy)
          assert.strictEqual((yield* Effect.flip(codes.hold("B1", cid)))._tag, "UnknownInvitationCode")
          assert.deepStrictEqual(yield* codes.referredBy([amy, ben]), [
            { referrerId: amy, userId: ben },
            { referrerId: amy, userId: cid }
          ])
          const issued = yield* codes.ofUser(amy)
          assert.isTrue(issued.every(({ redeemedAtMillis }) => redeemedAtMillis !== null))
        })
    )

    it.effect("lists referrers page by page", () =>
      Effect.gen(function* () {
        const codes = yield* InvitationCodes
        const [one, two, three] = yield* users("page-1", "page-2", "page-3")
        yield* codes.issue(one, ["P1", "P2"])
        yield* codes.issue(two, ["P3"])
        yield* codes.issue(three, ["P4"])
        for (const [code, owner] of [
          ["P1", one],
          ["P2", one],
          ["P4", three]
        ] as const) {
          const [guest] = yield* users(`page-guest-${code}`)
          yield* codes.hold(code, guest)
          yield* redeem(guest, code, owner)
        }
        assert.deepStrictEqual(yield* codes.referrers("page", 1), [one])
        assert.deepStrictEqual(yield* codes.referrers(one, 2), [three])
        assert.deepStrictEqual(yield* codes.referrers(three, 2), [])
      })
    )
  })

suite("InvitationCodes in memory", Layer.mergeAll(InvitationCodes.layerMemory, Users.layerMemory, Journal.layerMemory))
suite(
  "InvitationCodes on Postgres",
  Layer.mergeAll(InvitationCodes.layer, Users.layer, Journal.layer).pipe(Layer.provide(postgresLayer))
)
