import { Operators } from "@venue/storage/access/Operators"
import { assert, layer } from "@effect/vitest"
import { Seal } from "@venue/postgres/Seal"
import { Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const token = (text: string) => Redacted.make(`token-of-${text}`)
const usual = { expiresAtMillis: null, needsFactor: false }

const suite = (name: string, services: Layer.Layer<Operators, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("returns an operator by token until the operator is removed", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        yield* TestClock.setTime(5_000)
        const added = yield* operators.add({ ...usual, name: "tom", roles: ["viewer", "treasurer"] }, token("tom"))
        assert.deepStrictEqual(added, {
          ...usual,
          name: "tom",
          roles: ["viewer", "treasurer"],
          hasFactor: false,
          createdAtMillis: 5_000,
          removedAtMillis: null,
          ownTokenSinceMillis: 5_000
        })
        assert.deepStrictEqual(
          yield* operators.ofToken(token("tom")),
          Option.some({ operator: added, isSession: false })
        )
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
        yield* operators.add({ ...usual, name: "ann", roles: ["admin"] }, token("ann"))
        yield* operators.remove("ann")
        const again = yield* Effect.flip(operators.add({ ...usual, name: "ann", roles: ["viewer"] }, token("other")))
        assert.strictEqual(again._tag, "OperatorExists")
        assert.deepStrictEqual(yield* operators.ofToken(token("other")), Option.none())
      })
    )

    it.effect("a token is unknown from its expiry on, and its sessions with it", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        yield* TestClock.setTime(10_000)
        yield* operators.add({ ...usual, name: "eva", roles: ["viewer"], expiresAtMillis: 20_000 }, token("eva"))
        yield* operators.beginSession("eva", token("eva's session"), 30_000)
        const isKnown = (text: string) => Effect.map(operators.ofToken(token(text)), Option.isSome)
        yield* TestClock.setTime(19_999)
        assert.deepStrictEqual([yield* isKnown("eva"), yield* isKnown("eva's session")], [true, true])
        yield* TestClock.setTime(20_000)
        assert.deepStrictEqual([yield* isKnown("eva"), yield* isKnown("eva's session")], [false, false])
      })
    )

    it.effect("a renewal replaces the token and its sessions, and on request the factor", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        yield* TestClock.setTime(10_000)
        yield* operators.add({ ...usual, name: "rita", roles: ["viewer"], needsFactor: true }, token("rita"))
        assert.isTrue(yield* operators.setFactor("rita", token("factor")))
        assert.isTrue(yield* operators.setFactor("rita", token("second factor")))
        assert.isTrue(yield* operators.acceptStep("rita", 7))
        // A used factor stays, and each step counts once.
        assert.isFalse(yield* operators.setFactor("rita", token("third factor")))
        assert.deepStrictEqual(
          [yield* operators.acceptStep("rita", 7), yield* operators.acceptStep("rita", 6)],
          [false, false]
        )
        yield* operators.beginSession("rita", token("rita's session"), 30_000)
        const renewed = yield* operators.renew("rita", token("rita 2"), { expiresAtMillis: 90_000, isOwn: true })
        assert.deepInclude(Option.getOrThrow(renewed), { hasFactor: true, expiresAtMillis: 90_000 })
        for (const text of ["rita", "rita's session"])
          assert.deepStrictEqual(yield* operators.ofToken(token(text)), Option.none())
        const { secret } = Option.getOrThrow(yield* operators.factorOf("rita"))
        assert.strictEqual(Redacted.value(secret!), Redacted.value(token("second factor")))
        yield* operators.renew("rita", token("rita 3"), { expiresAtMillis: 90_000, needsFactor: true, isOwn: true })
        assert.isNull(Option.getOrThrow(yield* operators.factorOf("rita")).secret)
        assert.isTrue(yield* operators.setFactor("rita", token("third factor")))
      })
    )

    it.effect("stores no operator token in plain text", () =>
      Effect.gen(function* () {
        const operators = yield* Operators
        yield* operators.add({ ...usual, name: "sam", roles: ["viewer"] }, token("sam"))
        assert.notInclude(JSON.stringify(yield* operators.list), Redacted.value(token("sam")))
      })
    )
  })

suite("operators in memory", Operators.layerMemory)
const seal = Seal.layer(Redacted.make("0123456789abcdef0123456789abcdef"))
suite("operators on Postgres", Operators.layer.pipe(Layer.provide([postgresLayer, seal])))
