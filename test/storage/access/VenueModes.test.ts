import type { VenueStep } from "@venue/domain/VenueMode"
import { HasAuditor, VenueModes } from "@venue/storage/access/VenueModes"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const clean = { fault: null, difference: null }
const by = (name: string) => ({ by: name, reason: `so says ${name}` })

const suite = (name: string, services: () => Layer.Layer<VenueModes, unknown>) => {
  const each = (rule: string, story: Effect.Effect<void, unknown, VenueModes>) =>
    it.effect(`${name}: ${rule}`, () => story.pipe(Effect.provide(services())), 30_000)

  each(
    "I52: a halt blocks withdrawals, and a second halt does not replace the first one's reason",
    Effect.gen(function* () {
      const modes = yield* VenueModes
      yield* TestClock.setTime(5_000)
      yield* modes.audited(clean)
      assert.isTrue(modes.now().trading === "TRADING")
      yield* modes.read
      assert.isTrue(modes.mayWithdraw())
      assert.deepStrictEqual([yield* modes.halt(by("auditor")), yield* modes.halt(by("tom"))], [true, false])
      assert.isFalse(modes.mayWithdraw())
      const { changedAtMillis, changedBy, reason, trading, withdrawals } = yield* modes.read
      assert.deepStrictEqual(
        { changedAtMillis, changedBy, reason, trading, withdrawals },
        {
          changedAtMillis: 5_000,
          changedBy: "auditor",
          reason: "so says auditor",
          trading: "HALTED",
          withdrawals: "BLOCKED"
        }
      )
      assert.strictEqual(modes.now().trading, "HALTED")
    })
  )

  each(
    "I52: blocks withdrawals before the first audit and once the last clean audit is 30 s old, and states why",
    Effect.gen(function* () {
      const modes = yield* VenueModes
      const { changedAtMillis } = yield* modes.read
      const shown = Effect.map(modes.inForce, ({ changedAtMillis, changedBy, reason, trading, withdrawals }) => {
        assert.strictEqual(modes.mayWithdraw(), withdrawals === "OPEN")
        return [trading, withdrawals, changedBy, changedAtMillis, reason]
      })
      const notAudited =
        "The venue is not audited yet. Withdrawals open with the first audit; check that the auditor is running."
      assert.deepStrictEqual(yield* shown, ["TRADING", "BLOCKED", "venue", changedAtMillis, notAudited])
      yield* TestClock.setTime(5_000)
      yield* modes.audited(clean)
      yield* TestClock.setTime(34_999)
      assert.deepStrictEqual(yield* shown, ["TRADING", "OPEN", "venue", changedAtMillis, ""])
      yield* TestClock.setTime(35_000)
      const late =
        "The last audit is more than 30 s old. Withdrawals open with the next audit; check that the auditor is running."
      assert.deepStrictEqual(yield* shown, ["TRADING", "BLOCKED", "venue", 35_000, late])
      yield* modes.blockWithdrawals(by("tom"))
      assert.deepStrictEqual(yield* shown, ["TRADING", "BLOCKED", "tom", 35_000, "so says tom"])
      assert.strictEqual((yield* modes.read).withdrawals, "BLOCKED")
    })
  )

  each(
    "I53: an operator can resume only one step at a time, and only after a clean audit since the last step",
    Effect.gen(function* () {
      const modes = yield* VenueModes
      const refused = (step: VenueStep) => Effect.map(Effect.flip(modes.resume(step, by("tom"))), ({ _tag }) => _tag)
      const steps: ReadonlyArray<VenueStep> = ["CANCEL_ONLY", "TRADING", "WITHDRAWALS"]
      yield* TestClock.setTime(1_000)
      yield* modes.audited(clean)
      for (const step of steps) assert.strictEqual(yield* refused(step), "NotResumable")
      yield* TestClock.setTime(2_000)
      yield* modes.halt(by("auditor"))
      for (const [at, step] of steps.entries()) {
        // The step is rejected because the last audit is older than the previous change.
        assert.strictEqual(yield* refused(step), "NotResumable")
        yield* TestClock.adjust("1 second")
        yield* modes.audited({ fault: "the books", difference: null })
        assert.strictEqual(yield* refused(step), "NotResumable")
        yield* modes.audited(clean)
        for (const other of steps) if (other !== step) assert.strictEqual(yield* refused(other), "NotResumable")
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* refused(step), "NotResumable")
        yield* modes.audited(clean)
        const mode = yield* modes.resume(step, by("tom"))
        assert.strictEqual(
          `${mode.trading} ${mode.withdrawals}`,
          ["CANCEL_ONLY BLOCKED", "TRADING BLOCKED", "TRADING OPEN"][at]
        )
      }
    })
  )

  each(
    "blocks withdrawals but not trading while a payment rail's balance differs from the books",
    Effect.gen(function* () {
      const modes = yield* VenueModes
      assert.isTrue(yield* modes.blockWithdrawals(by("auditor")))
      assert.isFalse(yield* modes.blockWithdrawals(by("auditor")))
      assert.deepStrictEqual([modes.now().trading, modes.now().withdrawals], ["TRADING", "BLOCKED"])
      yield* TestClock.adjust("1 second")
      yield* modes.audited({ fault: null, difference: "BANK" })
      const refused = yield* Effect.flip(modes.resume("WITHDRAWALS", by("tom")))
      assert.include(refused._tag === "NotResumable" ? refused.why : "", "BANK")
      yield* modes.audited(clean)
      yield* modes.resume("WITHDRAWALS", by("tom"))
    })
  )

  each(
    "blocks nothing if the venue has no auditor",
    Effect.gen(function* () {
      const modes = yield* VenueModes
      assert.isTrue(modes.mayWithdraw())
    }).pipe(Effect.provide(Layer.fresh(services()).pipe(Layer.provide(Layer.succeed(HasAuditor)(false)))))
  )
}

suite("venue mode in memory", () => Layer.fresh(VenueModes.layerMemory))
suite("venue mode on Postgres", () => VenueModes.layer.pipe(Layer.provide(Layer.fresh(postgresLayer))))

it.live(
  "withdrawals_are_open() returns true only within 30 s after a clean audit, measured by the database clock",
  () =>
    Effect.gen(function* () {
      const modes = yield* VenueModes
      const sql = yield* SqlClient.SqlClient
      const areOpen = Effect.map(
        sql<{ readonly open: boolean }>`select withdrawals_are_open() as open`,
        ([row]) => row!.open
      )
      assert.isFalse(yield* areOpen)
      yield* modes.audited(clean)
      assert.isTrue(yield* areOpen)
      yield* sql`update venue_mode set audited_at = clock_timestamp() - interval '30 seconds'`
      assert.isFalse(yield* areOpen)
      yield* modes.audited(clean)
      yield* modes.halt(by("auditor"))
      assert.isFalse(yield* areOpen)
    }).pipe(Effect.provide(VenueModes.layer.pipe(Layer.provideMerge(postgresLayer))), Effect.orDie)
)

it.live("I57: a halt that begins during a resume comes after it", () =>
  Effect.gen(function* () {
    const modes = yield* VenueModes
    const sql = yield* SqlClient.SqlClient
    yield* modes.audited(clean)
    yield* modes.halt(by("auditor"))
    // An audit counts only if it is later than the halt.
    yield* Effect.sleep("2 millis")
    yield* modes.audited(clean)
    const begun = yield* Deferred.make<void>()
    const end = yield* Deferred.make<void>()
    const allowed = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(end))
    const resume = yield* Effect.forkChild(modes.resume("CANCEL_ONLY", by("tom"), allowed))
    yield* Deferred.await(begun)
    const halt = yield* Effect.forkChild(modes.halt(by("auditor")))
    const waiting = Effect.map(
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.values,
      ({ length }) => length > 0
    )
    yield* Effect.repeat(waiting, {
      until: (isWaiting) => isWaiting || halt.pollUnsafe() !== undefined,
      schedule: Schedule.spaced("20 millis")
    })
    yield* Deferred.succeed(end, undefined)
    assert.strictEqual((yield* Fiber.join(resume)).trading, "CANCEL_ONLY")
    assert.isTrue(yield* Fiber.join(halt))
    assert.strictEqual((yield* modes.read).trading, "HALTED")
  }).pipe(Effect.provide(VenueModes.layer.pipe(Layer.provideMerge(postgresLayer), Layer.fresh)))
)
