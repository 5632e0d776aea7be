/** Tests of failed calls between nodes, as the caller sees them. */
import { bounded, LastReport } from "@venue/cluster/clients/ClusterFault"
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, Schema } from "effect"
import { MalformedMessage } from "effect/cluster/ClusterError"
import { TestClock } from "effect/testing"

/** Returns an error as it arrives from another node. */
const travelled = (defect: unknown): unknown => {
  const codec = Schema.Defect()
  return Schema.decodeUnknownSync(codec)(JSON.parse(JSON.stringify(Schema.encodeSync(codec)(defect))))
}

const unread = new MalformedMessage({ cause: new Error("a field of a newer release") })
const answer = Effect.orDie(Schema.decodeUnknownEffect(Schema.Struct({ seq: Schema.Number }))({ seq: "newer" }))

it.effect.each([
  ["that the remote node cannot decode", Effect.die(travelled(unread))],
  ["that this node cannot encode", Effect.die(unread)],
  ["whose reply this node cannot decode", answer]
] satisfies ReadonlyArray<readonly [string, Effect.Effect<unknown>]>)(
  "I51: returns Unavailable for a call %s, and logs the fault once for all retries",
  ([, call]) => {
    const told: Array<unknown> = []
    return Effect.gen(function* () {
      for (let count = 0; count < 3; count++) {
        const failed = yield* Effect.flip(bounded("desk 3", call))
        assert.deepInclude(failed, { _tag: "Unavailable", what: "desk 3" })
      }
      assert.lengthOf(told, 1)
      assert.include(String(told[0]), "desk 3")
      yield* TestClock.adjust("10 seconds")
      yield* Effect.flip(bounded("desk 3", call))
      assert.lengthOf(told, 2)
    }).pipe(
      Effect.provide(Logger.layer([Logger.make(({ message }) => void told.push(message))])),
      Effect.provideService(LastReport, { atMillis: -Infinity })
    )
  }
)

it.effect("passes a defect from the remote node to the caller unchanged", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(bounded("desk 3", Effect.die(travelled(new TypeError("a bug")))))
    assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
  })
)
