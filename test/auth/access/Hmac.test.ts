import { Hmac, type Signed } from "@venue/auth/access/Hmac"
import { UserId } from "@venue/domain/UserId"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Nonces } from "@venue/storage/access/Nonces"
import { Revocations } from "@venue/storage/access/Revocations"
import { Seal } from "@venue/postgres/Seal"
import { Users } from "@venue/storage/access/Users"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as crypto from "node:crypto"
import { vi } from "vitest"
import { postgresLayer } from "../../Postgres.ts"

vi.mock("node:crypto", { spy: true })

/** Starts early on the clock, because the test clock runs every timer on the way to the start time. */
const nowSeconds = 1_000
const secret = "5ec4e7".repeat(10)

/** Each test has its own key, so that all tests can share one database. */
const suite = (name: string, hmac: Layer.Layer<Hmac | ApiKeys | Users, unknown>) =>
  layer(hmac, { timeout: "2 minutes" })(name, (it) => {
    it.effect("authenticates a signed request as its key's user, with the key's permissions", () =>
      Effect.gen(function* () {
        yield* begin("plain")
        const caller = yield* verify(sign("plain"))
        assert.deepStrictEqual(caller, {
          userId: UserId.make("plain-user"),
          permissions: new Set(["view_orders"]),
          scope: "all_accounts",
          publicKey: keyOf("plain"),
          sessionId: null,
          kid: null,
          aal: null,
          clientId: null,
          via: "hmac"
        })
      })
    )

    it.effect("I36: accepts a nonce once per key, regardless of letter case", () =>
      Effect.gen(function* () {
        yield* begin("once")
        yield* begin("other")
        yield* verify(sign("once", { nonce: "abcdef01" }))
        assert.strictEqual(yield* refusal(sign("once", { nonce: "abcdef01" })), "nonce_reused")
        assert.strictEqual(yield* refusal(sign("once", { nonce: "ABCDEF01" })), "nonce_reused")
        yield* verify(sign("other", { nonce: "abcdef01" }))
      })
    )

    it.effect("I36: accepts exactly one of many concurrent copies of a request", () =>
      Effect.gen(function* () {
        yield* begin("many")
        const signed = sign("many")
        const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => Effect.exit(verify(signed)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(answers.filter(({ _tag }) => _tag === "Success").length, 1)
      })
    )

    it.effect("I36: leaves a nonce unused after a wrong signature", () =>
      Effect.gen(function* () {
        yield* begin("burn")
        const good = sign("burn")
        assert.strictEqual(yield* refusal({ ...good, signature: "0".repeat(64) }), "signature")
        assert.strictEqual(yield* refusal({ ...good, timestamp: nowSeconds - 301 }), "timestamp")
        yield* verify(good)
      })
    )

    it.effect("rejects a revoked key as soon as its revocation is published, even while the key is cached", () =>
      Effect.gen(function* () {
        yield* begin("gone")
        yield* verify(sign("gone"))
        yield* revoke("gone")
        const reason = yield* Effect.repeat(
          Effect.andThen(
            turn,
            Effect.suspend(() => outcome(sign("gone")))
          ),
          { until: (reason) => reason !== undefined }
        )
        assert.strictEqual(reason, "revoked_key")
      })
    )

    it.effect("I40: looks up a key again after the cache has evicted it", () =>
      Effect.gen(function* () {
        yield* begin("forgotten")
        yield* verify(sign("forgotten"))
        yield* revoke("forgotten")
        const hmac = yield* Hmac
        hmac.forget(keyOf("forgotten"))
        assert.strictEqual(yield* refusal(sign("forgotten")), "revoked_key")
      })
    )

    it.effect("accepts a key with an allow-list only from the listed addresses and networks", () =>
      Effect.gen(function* () {
        yield* begin("fenced", ["10.1.0.0/16", "2001:db8::1", "192.0.2.7"])
        for (const address of ["10.1.255.3", "2001:db8:0::1", "192.0.2.7"]) yield* verify(sign("fenced"), address)
        for (const address of ["10.2.0.1", "2001:db8::2", "192.0.2.70", "", "somewhere", "10.1.0.1, 1.2.3.4"]) {
          assert.strictEqual(yield* refusal(sign("fenced"), address), "address", address)
        }
        const elsewhere = sign("fenced")
        assert.strictEqual(yield* refusal(elsewhere, "8.8.8.8"), "address")
        yield* verify(elsewhere, "10.1.0.1")
      })
    )

    it.effect("records a key's last use and last failure, and records nothing for unknown keys", () =>
      Effect.gen(function* () {
        yield* begin("seen")
        const keys = yield* ApiKeys
        const uses = Effect.map(keys.ofUser(UserId.make("seen-user")), ([key]) => [
          key!.lastUsedAtMillis,
          key!.lastFailedAtMillis
        ])
        const used = sign("seen")
        yield* verify(used)
        assert.deepStrictEqual(yield* uses, [null, null])
        yield* TestClock.adjust("5 seconds")
        yield* written(uses, ([lastUsed]) => lastUsed !== null)
        assert.deepStrictEqual(yield* uses, [nowSeconds * 1_000, null])
        yield* refusal({ ...sign("seen"), signature: "0".repeat(64) })
        yield* refusal(sign("nobody"))
        yield* TestClock.adjust("5 seconds")
        yield* written(uses, ([, lastFailed]) => lastFailed !== null)
        assert.deepStrictEqual(yield* uses, [nowSeconds * 1_000, nowSeconds * 1_000 + 5_000])
        yield* refusal(used)
        yield* TestClock.adjust("5 seconds")
        yield* written(uses, ([, lastFailed]) => lastFailed! > nowSeconds * 1_000 + 5_000)
        assert.deepStrictEqual(yield* uses, [nowSeconds * 1_000, nowSeconds * 1_000 + 10_000])
      })
    )

    it.effect(
      "accepts a newly created key immediately, even if a request with the key was rejected before its creation",
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(nowSeconds * 1_000)
          assert.strictEqual(yield* refusal(sign("new")), "unknown_key")
          yield* begin("new")
          yield* verify(sign("new"))
        })
    )

    it.effect("I50: rejects a public key of arbitrary characters as unknown", () =>
      Effect.gen(function* () {
        yield* begin("odd")
        const good = keyOf("odd")
        const others = [`${good}0`, `${good}\n`, good.toUpperCase(), good.slice(1 + good.lastIndexOf("_")), "svc_pub_1"]
        for (const publicKey of ["", "\0", "odd\0", "' or 1=1", "空", "x".repeat(100_000), ...others]) {
          assert.strictEqual(yield* refusal({ ...sign("odd"), publicKey }), "unknown_key")
        }
      })
    )
  })

const memory = Hmac.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(ApiKeys.layerMemory, Nonces.layerMemory)),
  Layer.provideMerge(Layer.mergeAll(Users.layerMemory, Revocations.layerMemory))
)
/** Second instance over the same services. */
const built = Effect.map(Layer.build(Layer.fresh(Hmac.layer)), Context.get(Hmac))
const seal = Seal.layer(Redacted.make("a secret key for tests, and for nothing else"))

suite("Hmac in memory", memory)
suite(
  "Hmac on Postgres",
  Hmac.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(ApiKeys.layer, Nonces.layer)),
    Layer.provideMerge(Layer.mergeAll(Users.layer, Revocations.layer)),
    Layer.provide(seal),
    Layer.provide(postgresLayer)
  )
)

describe("Hmac", () => {
  for (const [offset, reason] of [
    [299, undefined],
    [300, undefined],
    [301, "timestamp"]
  ] as const) {
    for (const direction of [-1, 1]) {
      for (const millis of [0, 999]) {
        it.effect(
          `I37: ${reason === undefined ? "accepts" : "rejects"} a timestamp ${direction * offset} s off at ${millis} ms of the second`,
          () =>
            Effect.gen(function* () {
              yield* begin("window")
              yield* TestClock.setTime(nowSeconds * 1_000 + millis)
              const signed = sign("window", { timestamp: nowSeconds + direction * offset })
              assert.strictEqual(yield* outcome(signed), reason)
            }).pipe(Effect.provide(memory))
        )
      }
    }
  }

  it.effect("I37: accepts a timestamp only as a whole number in canonical notation", () =>
    Effect.gen(function* () {
      yield* begin("whole")
      yield* verify(sign("whole", { timestamp: `${nowSeconds}` }))
      yield* verify(sign("whole", { timestamp: nowSeconds }))
      const odd = [
        `0${nowSeconds}`,
        `+${nowSeconds}`,
        ` ${nowSeconds}`,
        `${nowSeconds}\n`,
        `${nowSeconds}.0`,
        "",
        "1e3",
        "NaN",
        "０"
      ]
      for (const timestamp of [...odd, nowSeconds + 0.5, NaN, Infinity, -nowSeconds, 1e300]) {
        assert.strictEqual(yield* refusal(sign("whole", { timestamp })), "timestamp", String(timestamp))
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect("accepts nonces of 1 to 100 hex digits", () =>
    Effect.gen(function* () {
      yield* begin("form")
      yield* verify(sign("form", { nonce: "f" }))
      yield* verify(sign("form", { nonce: "F0".repeat(50) }))
      for (const nonce of ["", "f".repeat(101), "xyz", "ab cd", "ab\n", "ab:cd", "é"]) {
        assert.strictEqual(yield* refusal(sign("form", { nonce })), "nonce_form", nonce)
      }
    }).pipe(Effect.provide(memory))
  )

  it.effect(
    "accepts a complete hex signature in either letter case, and rejects the signature of another request",
    () =>
      Effect.gen(function* () {
        yield* begin("hex")
        const upper = sign("hex")
        yield* verify({ ...upper, signature: upper.signature.toUpperCase() })
        const { signature, ...rest } = sign("hex")
        const other = sign("hex", { nonce: "abc" }).signature
        const wrong = [
          "",
          signature.slice(2),
          `${signature}00`,
          `${signature.slice(0, 62)}zz`,
          `${signature}\n`,
          other,
          "空".repeat(64)
        ]
        for (const text of wrong) assert.strictEqual(yield* refusal({ ...rest, signature: text }), "signature", text)
        yield* verify({ ...rest, signature })
      }).pipe(Effect.provide(memory))
  )

  it.effect("I36: does the same work for unknown and known keys: one signature and one constant-time comparison", () =>
    Effect.gen(function* () {
      yield* begin("path")
      const work = Effect.fnUntraced(function* (signed: Signed) {
        vi.mocked(crypto.createHmac).mockClear()
        vi.mocked(crypto.timingSafeEqual).mockClear()
        const reason = yield* outcome(signed)
        return [
          reason,
          vi.mocked(crypto.createHmac).mock.calls.length,
          vi.mocked(crypto.timingSafeEqual).mock.calls.length
        ]
      })
      const good = sign("path")
      assert.deepStrictEqual(yield* work({ ...good, publicKey: keyOf("unknown") }), ["unknown_key", 1, 1])
      assert.deepStrictEqual(yield* work({ ...good, signature: "short" }), ["signature", 1, 1])
      assert.deepStrictEqual(yield* work(good), [undefined, 1, 1])
    }).pipe(Effect.provide(memory))
  )

  it.effect("checks timestamp, key, signature, revocation, address and nonce in this order", () =>
    Effect.gen(function* () {
      yield* begin("order", ["127.0.0.1"])
      const used = sign("order")
      yield* verify(used)
      const worst = { ...used, publicKey: keyOf("unknown"), signature: "bad", timestamp: 1 }
      assert.strictEqual(yield* refusal(worst), "timestamp")
      assert.strictEqual(yield* refusal({ ...worst, timestamp: nowSeconds }), "unknown_key")
      assert.strictEqual(yield* refusal({ ...used, signature: "bad" }), "signature")
      assert.strictEqual(yield* refusal(used), "nonce_reused")
      assert.strictEqual(yield* refusal(used, "8.8.8.8"), "address")
      yield* revoke("order")
      assert.strictEqual(yield* refusal(used, "8.8.8.8"), "revoked_key")
    }).pipe(Effect.provide(memory))
  )

  it.effect("looks up only well-formed keys, and does not cache unknown keys", () =>
    Effect.gen(function* () {
      const lookups: Array<string> = []
      const keys = yield* ApiKeys
      const counting = ApiKeys.of({
        ...keys,
        find: (publicKey) =>
          Effect.andThen(
            Effect.sync(() => void lookups.push(publicKey)),
            keys.find(publicKey)
          )
      })
      const hmac = yield* Effect.provideService(built, ApiKeys, counting)
      yield* begin("kept")
      yield* hmac.verify(sign("kept"), "")
      for (let times = 0; times < 2; times++) yield* Effect.flip(hmac.verify(sign("made up"), ""))
      assert.deepStrictEqual(lookups, ["kept", "made up", "made up"].map(keyOf))
      assert.deepStrictEqual(["kept", "made up"].map(keyOf).map(hmac.isKnown), [true, false])
      lookups.length = 0
      yield* hmac.verify(sign("kept"), "")
      for (const publicKey of ["kept", "svc_pub_", `${keyOf("kept")}0`]) {
        yield* Effect.flip(hmac.verify({ ...sign("kept"), publicKey }, ""))
      }
      assert.deepStrictEqual(lookups, [])
      yield* TestClock.adjust("1 hour")
      assert.isTrue(hmac.isKnown(keyOf("kept")))
      hmac.forget(keyOf("kept"))
      assert.isFalse(hmac.isKnown(keyOf("kept")))
    }).pipe(Effect.scoped, Effect.provide(memory))
  )

  it.effect("returns an Unavailable error if the database fails, and does not cache the failure", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(nowSeconds * 1_000)
      assert.strictEqual((yield* Effect.flip(verify(sign("down"))))._tag, "DatabaseUnavailable")
      assert.strictEqual(yield* refusal(sign("down")), "unknown_key")
    }).pipe(
      Effect.provide(
        Hmac.layer.pipe(Layer.provide(Layer.mergeAll(brokenOnce, Nonces.layerMemory, Revocations.layerMemory)))
      )
    )
  )
})

let lookups = 0
const brokenOnce = Layer.mock(ApiKeys, {
  find: () =>
    Effect.suspend(() =>
      lookups++ === 0 ? Effect.fail(new DatabaseUnavailable({ cause: "down" })) : Effect.succeed(Option.none())
    )
})

const keyOf = (name: string) => `svc_pub_${Buffer.from(name).toString("hex").padStart(32, "0")}`

const begin = Effect.fnUntraced(function* (name: string, allowedAddresses: ReadonlyArray<string> = []) {
  const users = yield* Users
  const keys = yield* ApiKeys
  yield* TestClock.setTime(nowSeconds * 1_000)
  const userId = `${name}-user`
  yield* users.create({ userId: UserId.make(userId), name: userId })
  yield* keys.create({
    publicKey: keyOf(name),
    userId: UserId.make(userId),
    label: "bot",
    secret: Redacted.make(secret),
    permissions: ["view_orders"],
    scope: "all_accounts",
    allowedAddresses
  })
})

const revoke = (name: string) =>
  Effect.flatMap(ApiKeys, (keys) => keys.revoke(UserId.make(`${name}-user`), keyOf(name)))

const turn = Effect.callback<void>((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** Waits for a background write: yields to the writing fiber, and polls the database. */
const written = <A, E, R>(read: Effect.Effect<A, E, R>, until: (value: A) => boolean) =>
  Effect.repeat(Effect.andThen(turn, Effect.map(read, until)), { until: (isThere) => isThere })

let signed = 0
const sign = (name: string, changes: Partial<Pick<Signed, "nonce" | "timestamp">> = {}): Signed => {
  const { nonce, timestamp } = { nonce: (++signed).toString(16).padStart(32, "0"), timestamp: nowSeconds, ...changes }
  const signature = crypto.createHmac("sha256", secret).update(`${nonce}:${timestamp}`).digest("hex")
  return { publicKey: keyOf(name), nonce, timestamp, signature }
}

const verify = (signed: Signed, address = "127.0.0.1") => Effect.flatMap(Hmac, (hmac) => hmac.verify(signed, address))

/** Returns the reason for a rejection as logged, or undefined if the request is accepted. */
const outcome = (signed: Signed, address?: string) =>
  verify(signed, address).pipe(
    Effect.as(undefined),
    Effect.catchTag("Unauthenticated", ({ reason }) => Effect.succeed(reason))
  )

const refusal = (signed: Signed, address?: string) =>
  Effect.map(Effect.flip(verify(signed, address)), (error) =>
    error._tag === "Unauthenticated" ? error.reason : error._tag
  )
