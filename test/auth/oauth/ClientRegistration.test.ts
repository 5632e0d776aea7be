import { ClientRegistration, type Registration } from "@venue/auth/oauth/ClientRegistration"
import { Bearers } from "@venue/auth/session/Bearers"
import { SessionTokens } from "@venue/auth/session/SessionTokens"
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { type OAuthClient, OAuthClients } from "@venue/storage/access/OAuthClients"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { Sessions } from "@venue/storage/access/Sessions"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Option, Redacted } from "effect"
import * as OAuth from "./OAuthServices.ts"

const refusal = (changes: Partial<Registration>) =>
  Effect.gen(function* () {
    const before = yield* (yield* OAuthClients).list
    const error = yield* Effect.flip(OAuth.register(changes))
    assert.deepStrictEqual(yield* (yield* OAuthClients).list, before)
    assert.strictEqual(error._tag, "RegistrationRefused")
    return error._tag === "RegistrationRefused" ? `${error.field} ${error.fault}` : error._tag
  })

layer(OAuth.memory)("ClientRegistration", (it) => {
  it.effect("returns a confidential application's secret once, and no secret for a public application", () =>
    Effect.gen(function* () {
      const { client, secret } = yield* OAuth.register()
      assert.match(Redacted.value(secret!), /^[\w-]{43}$/)
      assert.match(client.clientId, /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(client.grantTypes, ["authorization_code", "refresh_token"])
      assert.notInclude(JSON.stringify(yield* (yield* OAuthClients).list), Redacted.value(secret!))
      const open = yield* OAuth.register({ type: "public" })
      assert.isNull(open.secret)
      assert.deepStrictEqual(open.client.secretHashes, [])
    })
  )

  it.effect("accepts an application id chosen by an operator if the id is an unused UUID, in either letter case", () =>
    Effect.gen(function* () {
      const clientId = "7C1D0B52-9C1E-4B7A-8A55-0F2F6F0C9B11"
      const { client } = yield* OAuth.register({ clientId })
      assert.strictEqual(client.clientId, clientId.toLowerCase())
      for (const taken of [clientId, clientId.toLowerCase()]) {
        assert.strictEqual((yield* Effect.flip(OAuth.register({ clientId: taken })))._tag, "OAuthClientExists")
      }
      for (const wrong of ["", "my-app", `${clientId} `, clientId.slice(1)]) {
        assert.strictEqual(yield* refusal({ clientId: wrong }), "clientId form")
      }
      assert.lengthOf(yield* (yield* Audit).about(client.clientId), 1)
    })
  )

  it.effect(
    "records an operator's action with the operator's name and reason, but without the application's secret",
    () =>
      Effect.gen(function* () {
        const registration = yield* ClientRegistration
        const { client, secret } = yield* OAuth.register()
        const { clientId } = client
        const second = yield* registration.rotate(clientId, OAuth.operator)
        yield* registration.finishRotation(clientId, OAuth.operator)
        yield* registration.disable(clientId, OAuth.operator)
        const deeds = yield* (yield* Audit).about(clientId)
        assert.deepStrictEqual(
          deeds.map(({ action }) => action),
          ["client_disabled", "client_secret_dropped", "client_secret_added", "client_registered"]
        )
        for (const { actor, facts } of deeds) {
          assert.strictEqual(actor, "operator")
          assert.deepStrictEqual(facts, { clientId, reason: "a test" })
        }
        for (const text of [secret!, second]) assert.notInclude(JSON.stringify(deeds), Redacted.value(text))
      })
  )

  it.effect("accepts one to ten distinct https redirect URIs", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 11 }, (_, n) => `https://rp.example/${n}`)
      yield* OAuth.register({ redirectUris: many.slice(1) })
      assert.strictEqual(yield* refusal({ redirectUris: [] }), "redirectUris count")
      assert.strictEqual(yield* refusal({ redirectUris: many }), "redirectUris count")
      assert.strictEqual(yield* refusal({ redirectUris: [many[0]!, many[0]!] }), "redirectUris repeated")
      assert.strictEqual(yield* refusal({ redirectUris: [many[0]!, "http://rp.example/"] }), "redirectUris scheme")
      assert.strictEqual(yield* refusal({ logoUri: "javascript:alert(1)" }), "logoUri scheme")
      assert.strictEqual(yield* refusal({ clientUri: "http://rp.example/" }), "clientUri scheme")
      assert.strictEqual(yield* refusal({ grantTypes: ["refresh_token"] }), "grantTypes authorization_code")
    })
  )

  it.effect("accepts loopback redirects for public applications if the operator allows them", () =>
    Effect.gen(function* () {
      const redirectUris = ["http://localhost:57423/callback"]
      yield* OAuth.register({ redirectUris, type: "public", allowLoopback: true })
      assert.strictEqual(yield* refusal({ redirectUris, type: "public" }), "redirectUris scheme")
      assert.strictEqual(yield* refusal({ redirectUris, allowLoopback: true }), "redirectUris scheme")
    })
  )

  it.effect("rejects an application name that is empty, too long or padded, or contains invisible characters", () =>
    Effect.gen(function* () {
      for (const name of ["Café №1", "取引所", "n".repeat(100)]) yield* OAuth.register({ name })
      const hidden = ["", " ", " App", "App ", "A\np", "A\u202ep", "A\u200bp", "A\0p", "n".repeat(101)]
      for (const name of hidden) assert.strictEqual(yield* refusal({ name }), "name form", JSON.stringify(name))
    })
  )

  it.effect("rejects changes to an unknown application", () =>
    Effect.gen(function* () {
      const registration = yield* ClientRegistration
      const { client: open } = yield* OAuth.register({ type: "public" })
      const { client } = yield* OAuth.register()
      yield* registration.disable(client.clientId, OAuth.operator)
      for (const refused of [
        registration.rotate("nobody", OAuth.operator),
        registration.rotate(open.clientId, OAuth.operator),
        registration.rotate(client.clientId, OAuth.operator),
        registration.finishRotation(client.clientId, OAuth.operator),
        registration.disable(client.clientId, OAuth.operator)
      ]) {
        assert.strictEqual((yield* Effect.flip(refused))._tag, "NoSuchClient")
      }
      assert.strictEqual((yield* (yield* Audit).about(client.clientId)).length, 2)
    })
  )
})

const disable = ({ clientId }: OAuthClient) =>
  Effect.flatMap(ClientRegistration, (registration) => registration.disable(clientId, OAuth.operator))

/** Returns the tokens of a new session of this application. */
const letIn = Effect.fnUntraced(function* (user: Effect.Success<typeof OAuth.signedIn>, client: OAuthClient) {
  return (yield* OAuth.exchange(client, OAuth.redemption(yield* OAuth.approvedCode(user, client)))).issued
})

const suite = (name: string, services: Layer.Layer<OAuth.Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("rejects every kind of token of a disabled application, and accepts other applications' tokens", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const bearers = yield* Bearers
        const tokens = yield* SessionTokens
        const user = yield* OAuth.signedIn
        for (const type of ["public", "confidential"] as const) {
          const { client } = yield* OAuth.register({ type })
          const { client: other } = yield* OAuth.register({ type })
          const issued = yield* letIn(user, client)
          const others = yield* letIn(user, other)
          const isGood = (token: Redacted.Redacted) => Effect.isSuccess(bearers.verify(Redacted.value(token)))
          assert.isTrue(yield* isGood(issued.accessToken))
          assert.isTrue(yield* isGood(others.accessToken))
          yield* disable(client)
          // Waits for the announcement, which reaches every node without the test clock advancing.
          yield* Effect.repeat(isGood(issued.accessToken), { while: (good) => good })
          for (const by of [{ clientId: client.clientId }, { clientId: null, allowPublicForm: true }]) {
            const { reason } = yield* Effect.flip(
              Effect.catchTag(tokens.refresh(issued.refreshToken, by), "DatabaseUnavailable", Effect.die)
            )
            assert.strictEqual(reason, "session_ended")
          }
          assert.isTrue(yield* isGood(others.accessToken))
          yield* tokens.refresh(others.refreshToken, { clientId: other.clientId })
        }
        assert.include(
          (yield* (yield* Sessions).ofUser(user.userId)).map(({ clientId }) => clientId),
          null
        )
      })
    )

    it.effect("rejects an unused code of a disabled application", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const { client } = yield* OAuth.register()
        const user = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(user, client)
        yield* disable(client)
        const refused = yield* Effect.flip(OAuth.exchange(client, OAuth.redemption(code)))
        assert.deepInclude(refused, { _tag: "ExchangeRefused", reason: "grant_type" })
        assert.deepStrictEqual(yield* liveOf(user.userId), [null])
      })
    )

    it.effect("leaves no session if an application is disabled during a code exchange", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        for (let round = 0; round < 10; round++) {
          const { client } = yield* OAuth.register()
          const user = yield* OAuth.signedIn
          const code = yield* OAuth.approvedCode(user, client)
          const exchange = Effect.exit(OAuth.exchange(client, OAuth.redemption(code)))
          const [exit] = yield* Effect.all([exchange, disable(client)], { concurrency: "unbounded" })
          if (Exit.isSuccess(exit)) {
            const session = yield* (yield* Sessions).find(exit.value.issued.session.sessionId)
            assert.isNotNull(Option.getOrThrow(session).endedAtMillis)
          }
          assert.deepStrictEqual(yield* liveOf(user.userId), [null])
        }
      })
    )
  })

const liveOf = (userId: UserId) =>
  Effect.gen(function* () {
    return (yield* (yield* Sessions).ofUser(userId)).map(({ clientId }) => clientId)
  })

suite("disabled application (memory)", OAuth.memory)
suite("disabled application (Postgres)", OAuth.postgres)

layer(OAuth.memory)("disabled application", (it) => {
  it.effect("announces once that an application was disabled", () =>
    Effect.gen(function* () {
      const { client } = yield* OAuth.register()
      const announced: Array<Revocation> = []
      yield* (yield* Revocations).watch((revocation) => void announced.push(revocation))
      yield* disable(client)
      yield* Effect.flip(disable(client))
      assert.deepStrictEqual(announced, [{ kind: "client", subject: client.clientId }])
    })
  )
})
