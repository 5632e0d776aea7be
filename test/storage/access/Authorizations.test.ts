import { UserId } from "@venue/domain/UserId"
import { type Approval, type AuthorizationRequested, Authorizations } from "@venue/storage/access/Authorizations"
import { OAuthClients } from "@venue/storage/access/OAuthClients"
import { Transaction } from "@venue/postgres/Transaction"
import { Users } from "@venue/storage/access/Users"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const minute = 60_000
const request: AuthorizationRequested = {
  clientId: "app",
  redirectUri: "https://rp.example/cb",
  scope: "openid email",
  state: "a state",
  codeChallenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  nonce: "a nonce",
  resource: null,
  maxAgeSeconds: 300,
  promptsConsent: true
}
const signedIn = { aal: "aal2", amr: [{ method: "totp", timestamp: 7 }] } as const

const approval = (code: Redacted.Redacted): Approval => ({ code, codeExpiresAtMillis: 2 * minute, signedIn })

/** Creates a pending request with this id, and derives its future code. */
const open = (name: string) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(minute)
    for (const userId of [`${name}-amy`, `${name}-ben`])
      yield* (yield* Users).create({ userId: UserId.make(userId), name: userId })
    const authorizations = yield* Authorizations
    const clients = yield* OAuthClients
    if (Option.isNone(yield* clients.find("app"))) {
      const { redirectUri } = request
      const rest = { name: "App", type: "public", logoUri: null, clientUri: null, grantTypes: [] } as const
      yield* clients.register({ ...rest, clientId: "app", redirectUris: [redirectUri] }, null)
    }
    const id = Redacted.make(`id of ${name}`)
    yield* authorizations.open(id, request, 11 * minute)
    return { authorizations, id, code: Redacted.make(`code of ${name}`), amy: `${name}-amy`, ben: `${name}-ben` }
  })

const approved = (name: string) =>
  Effect.tap(open(name), ({ amy, authorizations, code, id }) =>
    Effect.andThen(authorizations.bind(id, UserId.make(amy)), authorizations.approve(id, approval(code)))
  )

const suite = (name: string, services: Layer.Layer<Authorizations | OAuthClients | Transaction | Users, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("binds a request to the first user who opens it, until it expires", () =>
      Effect.gen(function* () {
        const { amy, authorizations, ben, id } = yield* open("bound")
        assert.deepStrictEqual(
          yield* authorizations.bind(id, UserId.make(amy)),
          Option.some({ ...request, requestedAtMillis: minute, status: "pending" })
        )
        assert.isTrue(Option.isNone(yield* authorizations.bind(id, UserId.make(ben))))
        assert.isTrue(Option.isNone(yield* authorizations.bind(Redacted.make("another id"), UserId.make(amy))))
        yield* TestClock.setTime(11 * minute - 1)
        assert.isTrue(Option.isSome(yield* authorizations.bind(id, UserId.make(amy))))
        yield* TestClock.setTime(11 * minute)
        assert.isTrue(Option.isNone(yield* authorizations.bind(id, UserId.make(amy))))
      })
    )

    it.effect("binds a request to exactly one of two users who open it concurrently", () =>
      Effect.gen(function* () {
        const { amy, authorizations, ben, id } = yield* open("raced")
        const bound = yield* Effect.all(
          [authorizations.bind(id, UserId.make(amy)), authorizations.bind(id, UserId.make(ben))],
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(bound.filter(Option.isSome).length, 1)
      })
    )

    it.effect("decides a request once, and only after it is bound to a user", () =>
      Effect.gen(function* () {
        const { amy, authorizations, code, id } = yield* open("decided")
        assert.isFalse(yield* authorizations.approve(id, approval(code)))
        assert.isFalse(yield* authorizations.deny(id))
        assert.isTrue(Option.isNone(yield* authorizations.findCode(code)))
        yield* authorizations.bind(id, UserId.make(amy))
        assert.isTrue(yield* authorizations.deny(id))
        assert.isFalse(yield* authorizations.approve(id, approval(code)))
        assert.isFalse(yield* authorizations.deny(id))
        assert.isTrue(Option.isNone(yield* authorizations.findCode(code)))
        assert.deepStrictEqual(
          yield* authorizations.bind(id, UserId.make(amy)),
          Option.some({ ...request, requestedAtMillis: minute, status: "denied" })
        )
      })
    )

    it.effect("returns the request, user and sign-in to which a code belongs", () =>
      Effect.gen(function* () {
        const { amy, authorizations, code } = yield* approved("coded")
        assert.deepStrictEqual(Option.getOrThrow(yield* authorizations.findCode(code)), {
          ...request,
          userId: UserId.make(amy),
          signedIn,
          expiresAtMillis: 2 * minute,
          isConsumed: false,
          sessionId: null
        })
        assert.isTrue(Option.isNone(yield* authorizations.findCode(Redacted.make("another code"))))
      })
    )

    it.effect("I44: accepts exactly one of ten concurrent uses of a code", () =>
      Effect.gen(function* () {
        const { authorizations, code } = yield* approved("used")
        const used = yield* Effect.all(
          Array.from({ length: 10 }, () => authorizations.consume(code)),
          {
            concurrency: "unbounded"
          }
        )
        assert.strictEqual(used.filter((isFirst) => isFirst).length, 1)
        yield* authorizations.produced(code, "a session")
        const storedCode = Option.getOrThrow(yield* authorizations.findCode(code))
        assert.isTrue(storedCode.isConsumed)
        assert.strictEqual(storedCode.sessionId, "a session")
      })
    )

    it.effect("I44: keeps a code valid if the transaction that uses it fails", () =>
      Effect.gen(function* () {
        const { authorizations, code } = yield* approved("kept")
        const { run } = yield* Transaction
        yield* Effect.flip(run(Effect.andThen(authorizations.consume(code), Effect.fail("no"))))
        assert.isTrue(yield* authorizations.consume(code))
      })
    )

    it.effect("marks a cancelled code as used, and leaves other users' codes valid", () =>
      Effect.gen(function* () {
        const { amy, authorizations, code } = yield* approved("cancelled")
        const other = yield* approved("untouched")
        yield* authorizations.cancelCodes(UserId.make(amy), "another app")
        assert.isFalse(Option.getOrThrow(yield* authorizations.findCode(code)).isConsumed)
        yield* authorizations.cancelCodes(UserId.make(amy), "app")
        assert.isFalse(yield* authorizations.consume(code))
        assert.isTrue(yield* authorizations.consume(other.code))
        const next = yield* approved("of any application")
        yield* authorizations.cancelCodes(UserId.make(next.amy), null)
        assert.isFalse(yield* authorizations.consume(next.code))
      })
    )

    it.effect("recognises a code's second use for one day, and deletes the code afterwards", () =>
      Effect.gen(function* () {
        const { authorizations, code } = yield* approved("old")
        yield* authorizations.consume(code)
        yield* TestClock.setTime(25 * 60 * minute)
        yield* authorizations.open(Redacted.make("a day later"), request, 0)
        assert.isTrue(Option.isSome(yield* authorizations.findCode(code)))
        yield* TestClock.setTime(26 * 60 * minute)
        // Opens ten more requests: each deletes only a few expired rows, and other tests left some behind.
        for (let n = 0; n < 10; n++) yield* authorizations.open(Redacted.make(`later ${n}`), request, 0)
        assert.isTrue(Option.isNone(yield* authorizations.findCode(code)))
      })
    )
  })

suite(
  "Authorizations in memory",
  Layer.mergeAll(Authorizations.layerMemory, OAuthClients.layerMemory, Transaction.layerMemory, Users.layerMemory)
)
const postgres = Layer.mergeAll(Authorizations.layer, OAuthClients.layer, Transaction.layer, Users.layer).pipe(
  Layer.provideMerge(postgresLayer)
)
suite("Authorizations on Postgres", postgres)

it.effect("I46: stores only the hashes of a request's id and code", () =>
  Effect.gen(function* () {
    yield* approved("hidden")
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`select * from authorization_request`
    assert.strictEqual(rows.length, 1)
    assert.notInclude(JSON.stringify(rows), "of hidden")
  }).pipe(Effect.provide(postgres))
)
