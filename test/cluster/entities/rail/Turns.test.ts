import * as Turns from "@venue/cluster/entities/rail/Turns"
import { RailUnavailable } from "@venue/providers/rails/RailProvider"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

/** Runs items in turns; requests that include a faulty item fail. */
const polling = () => {
  const turns = Turns.make<string>((name) => name)
  const requested: Array<string> = []
  const poll = (all: ReadonlyArray<string>, odd: ReadonlyArray<string>) =>
    turns.each(all, (name) =>
      Effect.suspend(() => {
        requested.push(name)
        return odd.includes(name) ? Effect.fail(new RailUnavailable({ rail: "TRON", cause: "odd" })) : Effect.void
      })
    )
  return { poll, requested: () => requested.splice(0), turns }
}

it.effect("continues after a failed item, and runs the failed item last in the next round", () =>
  Effect.gen(function* () {
    const { requested, poll, turns } = polling()
    const failed = yield* Effect.flip(poll(["a", "b", "c"], ["a"]))
    assert.strictEqual(String(failed.cause), "a: odd")
    assert.deepStrictEqual(requested(), ["a", "b", "c"])
    yield* Effect.flip(poll(["a", "b", "c"], ["a", "b"]))
    assert.deepStrictEqual(requested(), ["b", "c", "a"])
    assert.isTrue(turns.isDoubtful("a"))
    yield* poll(["a", "b", "c"], [])
    assert.deepStrictEqual(requested(), ["c", "b", "a"])
    assert.isFalse(turns.isDoubtful("a"))
    yield* poll(["a", "b", "c"], [])
    assert.deepStrictEqual(requested(), ["a", "b", "c"])
  })
)

it.effect("stops after eight failures, and starts the next round with the skipped items", () =>
  Effect.gen(function* () {
    const { requested, poll } = polling()
    const all = Array.from({ length: 40 }, (_, at) => `w${at}`)
    yield* Effect.flip(poll(all, all))
    const first = requested()
    assert.isAtMost(first.length, 12)
    yield* poll([...all, "new"], first).pipe(Effect.flip)
    const second = requested()
    assert.deepStrictEqual(second.slice(0, 41 - first.length), [...all.slice(first.length), "new"])
    assert.deepStrictEqual(second.slice(41 - first.length), first.slice(0, second.length - (41 - first.length)))
  })
)
