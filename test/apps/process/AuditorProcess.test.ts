/** Tests of the first audit after a restart of the venue. */
import { VenueModes } from "@venue/storage/access/VenueModes"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as AuditorProcess from "../../../apps/process/AuditorProcess.ts"

it.effect("at startup, waits for a new audit even if the venue was audited shortly before", () =>
  Effect.gen(function* () {
    const { audited, read } = yield* VenueModes
    const clean = { fault: null, difference: null }
    yield* TestClock.adjust("1 second")
    yield* audited(clean)
    const { auditedAtMillis } = yield* read
    const lines: Array<string> = []
    const say = (line: string) => Effect.sync(() => void lines.push(line))
    const waiting = yield* Effect.forkChild(AuditorProcess.audited(say, auditedAtMillis))
    yield* TestClock.adjust("20 seconds")
    assert.isUndefined(waiting.pollUnsafe())
    assert.lengthOf(lines, 1)
    yield* audited(clean)
    yield* TestClock.adjust("100 millis")
    yield* Fiber.join(waiting)
  }).pipe(Effect.provide(VenueModes.layerMemory))
)
