import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { TokenRevocation } from "@venue/auth/session/TokenRevocation"
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { OAuthClient } from "@venue/storage/access/OAuthClients"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { Sessions } from "@venue/storage/access/Sessions"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as OAuth from "../oauth/OAuthServices.ts"

const revoke = (client: OAuthClient, token: Redacted.Redacted) =>
  Effect.flatMap(TokenRevocation, (revocation) => revocation.revoke(client, token))

const refresh = ({ clientId }: OAuthClient, token: Redacted.Redacted) =>
  Effect.flatMap(SessionTokens, (tokens) => tokens.refresh(token, { clientId }))

/** Returns a user with an application's session, whose third refresh token is valid. */
const scene = Effect.gen(function* () {
  const { client } = yield* OAuth.register()
  const caller = yield* OAuth.signedIn
  const { idToken, issued } = yield* OAuth.exchange(client, OAuth.redemption(yield* OAuth.approvedCode(caller, client)))
  const second = yield* refresh(client, issued.refreshToken)
  const third = yield* refresh(client, second.refreshToken)
  return { client, caller, idToken: idToken!, issues: [issued, second, third] as const, session: issued.session }
})

const endOf = (sessionId: string) =>
  Effect.gen(function* () {
    return Option.getOrThrow(yield* (yield* Sessions).find(sessionId)).endedAtMillis
  })

const deedsOf = (userId: UserId) => Effect.flatMap(Audit, (audit) => audit.about(userId))

const suite = (name: string, services: Layer.Layer<OAuth.Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    for (const [what, tokenOf] of [
      ["its valid refresh token", ({ issues }) => issues[2].refreshToken],
      ["its previous refresh token", ({ issues }) => issues[1].refreshToken],
      ["its first refresh token", ({ issues }) => issues[0].refreshToken],
      ["its access token", ({ issues }) => issues[2].accessToken],
      ["an access token from before a refresh", ({ issues }) => issues[0].accessToken]
    ] satisfies ReadonlyArray<readonly [string, (one: Effect.Success<typeof scene>) => Redacted.Redacted]>) {
      it.effect(`ends an application's session when the application revokes ${what}, and records the end once`, () =>
        Effect.gen(function* () {
          yield* OAuth.start
          const one = yield* scene
          const { caller, client, issues, session } = one
          const { clientId } = client
          const { sessionId, userId } = session
          yield* TestClock.adjust("1 second")
          yield* revoke(client, tokenOf(one))
          assert.strictEqual(yield* endOf(sessionId), 1_001_000)
          for (const { refreshToken } of issues) {
            const refused = yield* Effect.flip(refresh(client, refreshToken))
            assert.deepInclude(refused, { _tag: "RefreshRefused", reason: "session_ended" })
          }
          const deeds = yield* deedsOf(userId)
          assert.deepInclude(deeds[0], { action: "token_revoked", actor: userId, facts: { clientId, sessionId } })
          yield* TestClock.adjust("1 second")
          yield* revoke(client, tokenOf(one))
          assert.deepStrictEqual([yield* endOf(sessionId), yield* deedsOf(userId)], [1_001_000, deeds])
          assert.isNull(yield* endOf(caller.sessionId))
        })
      )
    }

    it.effect("accepts a revocation by a public application", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register({ type: "public" })
        const caller = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(caller, client)
        const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
        yield* revoke(client, issued.refreshToken)
        assert.isNotNull(yield* endOf(issued.session.sessionId))
      })
    )

    it.effect(
      "returns the same response for an unknown, a malformed and another application's token, and changes nothing",
      () =>
        Effect.gen(function* () {
          yield* OAuth.start
          const one = yield* scene
          const stranger = yield* scene
          const own = yield* (yield* SessionTokens).begin({
            userId: one.caller.userId,
            clientId: null,
            publicClient: false,
            scope: null,
            method: "web3"
          })
          const deeds = yield* deedsOf(one.caller.userId)
          const [head, body, signature] = Redacted.value(one.issues[2].accessToken).split(".") as [
            string,
            string,
            string
          ]
          const texts = [
            `vrt_${"x".repeat(43)}`,
            "vrt_",
            " ",
            "\0",
            "\ud800",
            "x".repeat(60_000),
            `${Redacted.value(one.issues[2].refreshToken)} `,
            [head, body, `${signature.slice(0, -4)}AAAA`].join("."),
            [head, body, ""].join("."),
            Redacted.value(one.idToken),
            Redacted.value(own.refreshToken),
            Redacted.value(own.accessToken),
            one.session.sessionId
          ]
          for (const text of texts) assert.isUndefined(yield* revoke(one.client, Redacted.make(text)))
          for (const { accessToken, refreshToken } of one.issues) {
            yield* revoke(stranger.client, accessToken)
            yield* revoke(stranger.client, refreshToken)
          }
          for (const { sessionId } of [one.session, own.session, one.caller]) assert.isNull(yield* endOf(sessionId))
          assert.deepStrictEqual(yield* deedsOf(one.caller.userId), deeds)
          yield* refresh(one.client, one.issues[2].refreshToken)
        })
    )

    it.effect("a revocation of an expired access token, or of a token whose session has expired, has no effect", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const { client, issues, session } = yield* scene
        const { sessionId, userId } = session
        const [, , last] = issues
        const deeds = yield* deedsOf(userId)
        yield* TestClock.adjust("61 minutes")
        yield* revoke(client, last.accessToken)
        assert.isNull(yield* endOf(sessionId))
        const later = yield* refresh(client, last.refreshToken)
        yield* TestClock.adjust("90 days")
        yield* revoke(client, later.refreshToken)
        yield* revoke(client, later.accessToken)
        assert.deepStrictEqual([yield* endOf(sessionId), yield* deedsOf(userId)], [null, deeds])
      })
    )

    it.effect("ends the session and records its end once, even under concurrent revocations and refreshes", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        for (let round = 0; round < 5; round++) {
          const { client, issues, session } = yield* scene
          const [, , last] = issues
          const revocations = Array.from({ length: 5 }, () => revoke(client, last.refreshToken))
          const refreshes = Array.from({ length: 5 }, () => Effect.exit(refresh(client, last.refreshToken)))
          const [exits] = yield* Effect.all(
            [
              Effect.all(refreshes, { concurrency: "unbounded" }),
              Effect.all(revocations, { concurrency: "unbounded" })
            ],
            { concurrency: "unbounded" }
          )
          assert.isNotNull(yield* endOf(session.sessionId))
          for (const exit of exits.filter(Exit.isSuccess)) {
            const refused = yield* Effect.flip(refresh(client, exit.value.refreshToken))
            assert.deepInclude(refused, { reason: "session_ended" })
          }
          const deeds = yield* deedsOf(session.userId)
          assert.lengthOf(
            deeds.filter(({ action }) => action === "token_revoked"),
            1
          )
        }
      })
    )
  })

suite("TokenRevocation in memory", OAuth.memory)
suite("TokenRevocation on Postgres", OAuth.postgres)

layer(OAuth.memory)("TokenRevocation", (it) => {
  it.effect("I40: announces a revocation once, so that all nodes reject the access token", () =>
    Effect.gen(function* () {
      const { client, issues, session } = yield* scene
      const stranger = yield* scene
      const announced: Array<Revocation> = []
      yield* (yield* Revocations).watch((revocation) => void announced.push(revocation))
      yield* revoke(stranger.client, issues[2].accessToken)
      assert.deepStrictEqual(announced, [])
      for (const { accessToken } of issues) yield* revoke(client, accessToken)
      assert.deepStrictEqual(announced, [{ kind: "session", subject: session.sessionId }])
    })
  )

  it.effect("rejects a revocation that cannot be recorded", () =>
    Effect.gen(function* () {
      const { client, issues, session } = yield* scene
      const silent = Audit.of({
        about: () => Effect.succeed([]),
        page: () => Effect.succeed([]),
        count: () => Effect.succeed(0),
        record: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" }))
      })
      const built = yield* Layer.build(Layer.fresh(TokenRevocation.layer)).pipe(Effect.provideService(Audit, silent))
      const failed = Context.get(built, TokenRevocation).revoke(client, issues[2].refreshToken)
      assert.strictEqual((yield* Effect.flip(failed))._tag, "DatabaseUnavailable")
      assert.isNull(yield* endOf(session.sessionId))
      yield* refresh(client, issues[2].refreshToken)
    })
  )
})
