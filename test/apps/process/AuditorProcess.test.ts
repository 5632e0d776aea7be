/** When a venue that was started again counts as audited. */
import { VenueModes } from "@venue/storage/access/VenueModes"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as AuditorProcess from "../../../apps/process/AuditorProcess.ts"

it.effect("a venue that was audited just before its start waits for the next audit", () =>
  Effect.gen(function* () {
    const { audited, read } = yield* VenueModes
    const found = { fault: null, difference: null }
    yield* TestClock.adjust("1 second")
    yield* audited(found)
    const { auditedAtMillis } = yield* read
    const lines: Array<string> = []
    const say = (line: string) => Effect.sync(() => void lines.push(line))
    const waiting = yield* Effect.forkChild(AuditorProcess.audited(say, auditedAtMillis))
    yield* TestClock.adjust("20 seconds")
    assert.isUndefined(waiting.pollUnsafe())
    assert.lengthOf(lines, 1)
    yield* audited(found)
    yield* TestClock.adjust("100 millis")
    yield* Fiber.join(waiting)
  }).pipe(Effect.provide(VenueModes.layerMemory))
)
