/** Tests of a desk's wake-up entries, in memory and on Postgres. */
import { UserId } from "@venue/domain/UserId"
import { Journal, type WakeUpChange } from "@venue/journal/Journal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { postgresLayer } from "../Postgres.ts"

const entry = (user: string, desk: string, detail: string): WakeUpChange => ({
  _tag: "WakeUp",
  userId: UserId.make(user),
  desk,
  reason: "unprojected",
  detail
})

const record = Effect.fnUntraced(function* (alongside: ReadonlyArray<WakeUpChange>) {
  const journal = yield* Journal
  const from = yield* journal.claim("waking", { restore: () => true, replay: () => {} }, Effect.succeed(true))
  let collected = false
  yield* Effect.callback<void>((resume) => {
    const collect = () => {
      if (collected) return undefined
      collected = true
      return { events: new Uint8Array([1]), alongside }
    }
    const lost = () => resume(Effect.die("lost"))
    journal.append({ stream: "waking", collect, committed: () => resume(Effect.void), lost }, from).wake()
  })
})

const left = Effect.fnUntraced(function* (desk: string) {
  const entries = yield* (yield* Journal).wakeUps(desk)
  return entries.map(({ detail, reason, userId }) => `${userId} ${reason} ${detail}`).sort()
})

for (const [name, layer] of [
  ["in memory", Journal.layerMemory],
  ["in Postgres", Journal.layer.pipe(Layer.provide(postgresLayer))]
] as const) {
  describe(name, () => {
    it.effect("returns one desk's wake-up entries, and removes only entries of rows that are already projected", () =>
      Effect.gen(function* () {
        const { projected } = yield* Journal
        yield* record([
          entry("ann", "7", "9"),
          entry("ann", "7", "10"),
          entry("ben", "7", "2"),
          entry("cid", "8", "2"),
          { ...entry("ann", "7", "1"), reason: "joined" }
        ])
        const of7 = ["ann joined 1", "ann unprojected 10", "ann unprojected 9", "ben unprojected 2"]
        assert.deepStrictEqual(yield* left("7"), of7)
        yield* projected([
          { userId: UserId.make("ann"), seq: 9 },
          { userId: UserId.make("ben"), seq: 1 }
        ])
        assert.deepStrictEqual(
          yield* left("7"),
          of7.filter((entry) => entry !== "ann unprojected 9")
        )
        assert.deepStrictEqual(yield* left("8"), ["cid unprojected 2"])
      }).pipe(Effect.provide(layer))
    )
  })
}
