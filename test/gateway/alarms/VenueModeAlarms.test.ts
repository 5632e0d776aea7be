/** Tests of the alarms about the venue's mode and its audits. */
import type { Alarm } from "@venue/api/admin/Alarms"
import * as CurrentAlarms from "@venue/gateway/alarms/CurrentAlarms"
import * as VenueModeAlarms from "@venue/gateway/alarms/VenueModeAlarms"
import { HasAuditor, VenueModes } from "@venue/storage/access/VenueModes"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { TestClock } from "effect/testing"

const silent = { kind: "WITHDRAWALS_BLOCKED", symbol: null } as const
const notAudited =
  "The venue is not audited yet. Withdrawals open with the first audit; check that the auditor is running."
const late =
  "The last audit is more than 30 s old. Withdrawals open with the next audit; check that the auditor is running."

const lateAudit = { kind: "AUDIT_LATE", symbol: null } as const

const withoutId = (alarm: Alarm) => Struct.omit(alarm, ["id"])

it.effect("raises an alarm for a missing audit and for each restriction of the venue mode, with the reason", () =>
  Effect.gen(function* () {
    const modes = yield* VenueModes
    const alarms = Effect.map(yield* VenueModeAlarms.make, (readings) =>
      CurrentAlarms.alarmsOf(readings).map(withoutId)
    )
    assert.deepStrictEqual(yield* alarms, [
      { ...silent, since: "1970-01-01T00:00:00.000Z", reason: notAudited },
      {
        ...lateAudit,
        since: null,
        reason: "No audit has been made yet. Check that the auditor is running."
      }
    ])
    yield* modes.audited({ fault: null, difference: null })
    assert.deepStrictEqual(yield* alarms, [])
    yield* TestClock.adjust("31 seconds")
    const overdue = {
      ...lateAudit,
      since: "1970-01-01T00:00:30.000Z",
      reason: "The last audit, of 1970-01-01T00:00:00.000Z, is more than 30 s old. Check that the auditor is running."
    }
    assert.deepStrictEqual(yield* alarms, [{ ...silent, since: "1970-01-01T00:00:30.000Z", reason: late }, overdue])

    yield* modes.blockWithdrawals({ by: "auditor", reason: "a rail differs" })
    const blocked = { kind: "WITHDRAWALS_BLOCKED", symbol: null, since: "1970-01-01T00:00:31.000Z" } as const
    assert.deepStrictEqual(yield* alarms, [{ ...blocked, reason: "a rail differs" }, overdue])
    yield* modes.halt({ by: "auditor", reason: "the books" })
    assert.deepStrictEqual(yield* alarms, [
      { ...blocked, kind: "HALTED", reason: "the books" },
      { ...blocked, reason: "the books" },
      overdue
    ])
  }).pipe(Effect.provide(VenueModes.layerMemory))
)

it.effect("expects an audit only in a venue with an auditor", () =>
  Effect.gen(function* () {
    const alarms = yield* VenueModeAlarms.make
    assert.deepStrictEqual(CurrentAlarms.alarmsOf(yield* alarms), [])
  }).pipe(Effect.provide(Layer.fresh(VenueModes.layerMemory)), Effect.provideService(HasAuditor, false))
)
