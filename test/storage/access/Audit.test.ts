import { traderStream } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { type AuditedDeed, type Claimed, Journal } from "@venue/journal/Journal"
import { JournalRows } from "@venue/journal/JournalMemory"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Audit, type Filter } from "@venue/storage/access/Audit"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"
import { claimed } from "./OpenedAccount.ts"

/** Records an operator's action as a desk does. Returns true if the journal accepted the row. */
const recorded = Effect.fnUntraced(function* (from: Claimed, userId: UserId, ...alongside: ReadonlyArray<AuditedDeed>) {
  const journal = yield* Journal
  let isCollected = false
  return yield* Effect.callback<boolean>((resume) => {
    const collect = () => {
      if (isCollected) return undefined
      isCollected = true
      return { events: TraderRecord.encode([]), alongside }
    }
    const settle = (isTaken: boolean) => () => resume(Effect.succeed(isTaken))
    journal.append({ stream: traderStream(userId), collect, committed: settle(true), lost: settle(false) }, from).wake()
  })
})

const suite = (name: string, services: Layer.Layer<Audit | Journal, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("lists the audit entries about a subject, newest first", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const deed = {
          actor: "operator",
          subject: "amy",
          facts: { reason: "a test", left: 9, isNew: true, country: null }
        }
        yield* audit.record({ ...deed, action: "user_frozen" })
        yield* audit.record({ ...deed, action: "user_unfrozen" })
        const recorded = yield* audit.about("amy")
        assert.deepStrictEqual(
          recorded.map(({ action }) => action),
          ["user_unfrozen", "user_frozen"]
        )
        assert.deepInclude(recorded[0], deed)
      })
    )

    it.effect("returns pages and counts of the entries that match every filter, newest first", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        for (const [seconds, action, actor, subject] of [
          [1, "user_read", "pia", "zoe"],
          [2, "user_frozen", "pia", "zoe"],
          [3, "user_read", "quin", "zoe"],
          [4, "user_read", "pia", "yan"]
        ] as const) {
          yield* TestClock.setTime(1_000_000 + seconds * 1_000)
          yield* audit.record({ action, actor, subject, facts: { seconds } })
        }
        const all = { limit: 10, offset: 0 }
        const read = Effect.fnUntraced(function* (filter: Filter, page = all) {
          const rows = yield* audit.page(filter, page)
          return [rows.map(({ facts }) => facts["seconds"]), yield* audit.count(filter)]
        })
        assert.deepStrictEqual(yield* read({ action: "user_read", actor: "pia" }), [[4, 1], 2])
        assert.deepStrictEqual(yield* read({ subject: "zoe" }, { limit: 1, offset: 1 }), [[2], 3])
        const range = { startMillis: 1_002_000, endMillis: 1_004_000 }
        assert.deepStrictEqual(yield* read(range), [[3, 2], 2])
        assert.deepStrictEqual(yield* read({ ...range, actor: "pia" }), [[2], 1])
        assert.deepStrictEqual(yield* read({ actor: "a\0b" }), [[], 0])
      })
    )

    it.effect("I50: records audit facts with any characters", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const texts = ["", "a\0b", "\\u0000", "half of \ud83d", "空 😀", `"'`, "x".repeat(500)]
        const from = yield* claimed(UserId.make("ben"))
        for (const reason of texts) {
          yield* audit.record({ action: "user_frozen", actor: "operator", subject: "ben", facts: { reason } })
        }
        const deeds = texts.map((reason) => ({ ...deed, subject: "ben", facts: { reason } }))
        assert.isTrue(yield* recorded(from, UserId.make("ben"), ...deeds))
        assert.lengthOf(yield* audit.about("ben"), 2 * texts.length)
      })
    )

    it.effect("writes an operator's action if and only if its journal row is written", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const eve = UserId.make("eve")
        const first = yield* claimed(eve)
        const second = yield* claimed(eve)
        assert.isFalse(yield* recorded(first, eve, { ...deed, actor: "fenced" }))
        assert.deepStrictEqual(yield* audit.about("eve"), [])
        assert.isTrue(yield* recorded(second, eve, deed))
        yield* audit.record({ action: "user_frozen", actor: "operator", subject: "eve", facts: {} })
        const [later, earlier, ...more] = yield* audit.about("eve")
        assert.strictEqual(later?.action, "user_frozen")
        const { _tag, atMillis: recordedAtMillis, ...rest } = deed
        assert.deepStrictEqual(earlier, { ...rest, recordedAtMillis })
        assert.deepStrictEqual(more, [])
      })
    )
  })

const deed: AuditedDeed = {
  _tag: "AuditedDeed",
  action: "credited",
  actor: "olga",
  subject: "eve",
  facts: { creditId: "c-1", amount: 12.5, reason: "a gift" },
  atMillis: 5_000
}

suite("Audit in memory", Layer.merge(Audit.layerMemory, Journal.layerMemoryNode).pipe(Layer.provide(JournalRows.layer)))
suite("Audit on Postgres", Layer.merge(Audit.layer, Journal.layer).pipe(Layer.provide(postgresLayer)))
