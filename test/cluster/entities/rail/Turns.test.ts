import * as Turns from "@venue/cluster/entities/rail/Turns"
import { RailUnavailable } from "@venue/providers/rails/RailProvider"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"

/** Asks of all of these, of which nobody can tell of the odd ones. */
const looking = () => {
  const turns = Turns.make<string>((name) => name)
  const asked: Array<string> = []
  const look = (all: ReadonlyArray<string>, odd: ReadonlyArray<string>) =>
    turns.each(all, (name) =>
      Effect.suspend(() => {
        asked.push(name)
        return odd.includes(name) ? Effect.fail(new RailUnavailable({ rail: "TRON", cause: "odd" })) : Effect.void
      })
    )
  return { look, asked: () => asked.splice(0), turns }
}

it.effect("continues past a failed item, reports it, and runs it last next time", () =>
  Effect.gen(function* () {
    const { asked, look, turns } = looking()
    const failed = yield* Effect.flip(look(["a", "b", "c"], ["a"]))
    assert.strictEqual(String(failed.cause), "a: odd")
    assert.deepStrictEqual(asked(), ["a", "b", "c"])
    yield* Effect.flip(look(["a", "b", "c"], ["a", "b"]))
    assert.deepStrictEqual(asked(), ["b", "c", "a"])
    assert.isTrue(turns.isDoubtful("a"))
    yield* look(["a", "b", "c"], [])
    assert.deepStrictEqual(asked(), ["c", "b", "a"])
    assert.isFalse(turns.isDoubtful("a"))
    yield* look(["a", "b", "c"], [])
    assert.deepStrictEqual(asked(), ["a", "b", "c"])
  })
)

it.effect("stops after eight failures, and starts the next round with the skipped items", () =>
  Effect.gen(function* () {
    const { asked, look } = looking()
    const all = Array.from({ length: 40 }, (_, at) => `w${at}`)
    yield* Effect.flip(look(all, all))
    const first = asked()
    assert.isAtMost(first.length, 12)
    yield* look([...all, "new"], first).pipe(Effect.flip)
    const second = asked()
    assert.deepStrictEqual(second.slice(0, 41 - first.length), [...all.slice(first.length), "new"])
    assert.deepStrictEqual(second.slice(41 - first.length), first.slice(0, second.length - (41 - first.length)))
  })
)
