import * as VenueModeAlarms from "@venue/gateway/admin/VenueModeAlarms"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"

const silent = { kind: "WITHDRAWALS_BLOCKED", symbol: null } as const
const notAudited =
  "The venue is not audited yet. Withdrawals open with the first audit; check that the auditor is running."
const late =
  "The last audit is more than 30 s old. Withdrawals open with the next audit; check that the auditor is running."

it.effect("raises an alarm for a missing audit and for each restriction of the venue mode, with the reason", () =>
  Effect.gen(function* () {
    const modes = yield* VenueModes
    const alarms = yield* VenueModeAlarms.make
    assert.deepStrictEqual(yield* alarms, [{ ...silent, since: "1970-01-01T00:00:00.000Z", reason: notAudited }])
    yield* modes.audited({ fault: null, difference: null })
    assert.deepStrictEqual(yield* alarms, [])
    yield* TestClock.adjust("31 seconds")
    assert.deepStrictEqual(yield* alarms, [{ ...silent, since: "1970-01-01T00:00:30.000Z", reason: late }])

    yield* modes.blockWithdrawals({ by: "auditor", reason: "a rail differs" })
    const blocked = { kind: "WITHDRAWALS_BLOCKED", symbol: null, since: "1970-01-01T00:00:31.000Z" } as const
    assert.deepStrictEqual(yield* alarms, [{ ...blocked, reason: "a rail differs" }])
    yield* modes.halt({ by: "auditor", reason: "the books" })
    assert.deepStrictEqual(yield* alarms, [
      { ...blocked, kind: "HALTED", reason: "the books" },
      { ...blocked, reason: "the books" }
    ])
  }).pipe(Effect.provide(VenueModes.layerMemory))
)
