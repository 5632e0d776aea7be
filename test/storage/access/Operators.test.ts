import { Operators } from "@venue/storage/access/Operators"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const token = (text: string) => Redacted.make(`token-of-${text}`)

const suite = (name: string, services: Layer.Layer<Operators, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("returns an operator by token until the operator is removed", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        yield* TestClock.setTime(5_000)
        const added = yield* operators.add({ name: "tom", roles: ["viewer", "treasurer"] }, token("tom"))
        assert.deepStrictEqual(added, {
          name: "tom",
          roles: ["viewer", "treasurer"],
          createdAtMillis: 5_000,
          removedAtMillis: null
        })
        assert.deepStrictEqual(yield* operators.ofToken(token("tom")), Option.some(added))
        assert.deepStrictEqual(yield* operators.ofToken(token("nobody")), Option.none())
        yield* TestClock.setTime(6_000)
        assert.deepStrictEqual([yield* operators.remove("tom"), yield* operators.remove("tom")], [true, false])
        assert.deepStrictEqual(yield* operators.ofToken(token("tom")), Option.none())
        const listed = (yield* operators.list).find((operator) => operator.name === "tom")
        assert.deepStrictEqual(listed, { ...added, removedAtMillis: 6_000 })
      })
    )

    it.effect("rejects the name of a current or removed operator for a new operator", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        yield* operators.add({ name: "ann", roles: ["admin"] }, token("ann"))
        yield* operators.remove("ann")
        const again = yield* Effect.flip(operators.add({ name: "ann", roles: ["viewer"] }, token("other")))
        assert.strictEqual(again._tag, "OperatorExists")
        assert.deepStrictEqual(yield* operators.ofToken(token("other")), Option.none())
      })
    )

    it.effect("stores no operator token in plain text", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        yield* operators.add({ name: "sam", roles: ["viewer"] }, token("sam"))
        assert.notInclude(JSON.stringify(yield* operators.list), Redacted.value(token("sam")))
      })
    )
  })

suite("operators in memory", Operators.layerMemory)
suite("operators on Postgres", Operators.layer.pipe(Layer.provide(postgresLayer)))
