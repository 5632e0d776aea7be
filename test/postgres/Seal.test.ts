import { Seal } from "@venue/postgres/Seal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"

describe("Seal", () => {
  it.effect("opens a sealed secret under its own name, and seals the same secret differently each time", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* Seal
      const sealed = seal(secret, "key-1")
      assert.strictEqual(Redacted.value(open(sealed, "key-1")), "s3cret ü")
      assert.notDeepEqual(seal(secret, "key-1"), sealed)
    }).pipe(Effect.provide(first))
  )

  it.effect("I46: rejects a sealed secret under another name, under another key, or with any byte changed", () =>
    Effect.gen(function* () {
      const { open, seal } = yield* Seal
      const other = yield* Effect.provide(Seal, second)
      const sealed = seal(secret, "key-1")
      assert.throws(() => open(sealed, "key-2"))
      assert.throws(() => other.open(sealed, "key-1"))
      assert.throws(() => open(sealed.subarray(0, 20), "key-1"))
      for (let at = 0; at < sealed.length; at++) {
        const changed = sealed.map((byte, index) => (index === at ? byte ^ 1 : byte))
        assert.throws(() => open(changed, "key-1"))
      }
    }).pipe(Effect.provide(first))
  )

  it.effect("rejects a short sealing key without printing it", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.provide(Seal, Seal.layer(Redacted.make("hunter2"))))
      assert.strictEqual(exit._tag, "Failure")
      assert.notInclude(String(exit), "hunter2")
    })
  )
})

const secret = Redacted.make("s3cret ü")
describe("Seal with two keys", () => {
  it.effect("opens secrets of both keys, and seals under the first", () =>
    Effect.gen(function* () {
      const old = yield* Effect.provide(Seal, first)
      const both = yield* Effect.provide(
        Seal,
        Seal.layer(
          Redacted.make("the second secret key of these tests"),
          Redacted.make("the first secret key of these tests")
        )
      )
      const earlier = old.seal(Redacted.make("earlier"), "ann")
      const later = both.seal(Redacted.make("later"), "ann")
      const opened = [earlier, later].map((sealed) => Redacted.value(both.open(sealed, "ann")))
      assert.deepStrictEqual(opened, ["earlier", "later"])
      assert.deepStrictEqual(
        [earlier, later].map((sealed) => both.isCurrent(sealed, "ann")),
        [false, true]
      )
      assert.throws(() => old.open(later, "ann"), "belongs to another secret key or name")
      assert.throws(() => both.open(earlier, "bob"), "belongs to another secret key or name")
      const current = yield* Effect.provide(Seal, second)
      assert.strictEqual(Redacted.value(current.open(later, "ann")), "later")
    })
  )
})

const first = Seal.layer(Redacted.make("the first secret key of these tests"))
const second = Seal.layer(Redacted.make("the second secret key of these tests"))
