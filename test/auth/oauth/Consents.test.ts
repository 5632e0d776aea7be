import { Consents } from "@venue/auth/oauth/Consents"
import type { UserId } from "@venue/domain/UserId"
import { Audit } from "@venue/storage/access/Audit"
import { type Revocation, Revocations } from "@venue/storage/access/Revocations"
import { Sessions } from "@venue/storage/access/Sessions"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as OAuth from "./OAuthServices.ts"

const liveOf = (userId: UserId) =>
  Effect.gen(function* () {
    return (yield* (yield* Sessions).ofUser(userId)).map(({ clientId }) => clientId)
  })

const suite = (name: string, services: Layer.Layer<OAuth.Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("lists the applications that the user has granted access to, in order of the newest grant", () =>
      Effect.gen(function* () {
        yield* OAuth.start
        const consents = yield* Consents
        const caller = yield* OAuth.signedIn
        const { client: first } = yield* OAuth.register({ name: "First" })
        const { client: second } = yield* OAuth.register({ name: "Second", type: "public" })
        assert.deepStrictEqual(yield* consents.list(caller.userId), [])
        yield* OAuth.approvedCode(caller, first)
        yield* TestClock.adjust("1 second")
        yield* OAuth.approvedCode(caller, second, { scope: "profile" })
        const shown = ({ clientId, clientUri, logoUri, name }: typeof first) => ({ clientId, name, clientUri, logoUri })
        assert.deepStrictEqual(yield* consents.list(caller.userId), [
          { client: shown(second), scopes: ["profile"], grantedAtMillis: 1_001_000 },
          { client: shown(first), scopes: ["email", "openid"], grantedAtMillis: 1_000_000 }
        ])
      })
    )

    it.effect(
      "A6: when a user withdraws an application's grant, ends only that user's sessions with that application",
      () =>
        Effect.gen(function* () {
          const consents = yield* Consents
          const { client } = yield* OAuth.register()
          const { client: other } = yield* OAuth.register()
          const [caller, friend] = [yield* OAuth.signedIn, yield* OAuth.signedIn]
          for (const [user, app] of [
            [caller, client],
            [caller, client],
            [caller, other],
            [friend, client]
          ] as const) {
            yield* OAuth.exchange(app, OAuth.redemption(yield* OAuth.approvedCode(user, app)))
          }
          assert.isTrue(yield* consents.withdraw(caller.userId, client.clientId))
          assert.sameMembers(yield* liveOf(caller.userId), [null, other.clientId])
          assert.sameMembers(yield* liveOf(friend.userId), [null, client.clientId])
          const [deed] = yield* (yield* Audit).about(caller.userId)
          assert.deepInclude(deed, { action: "application_withdrawn", facts: { clientId: client.clientId } })
        })
    )

    it.effect("rejects an unused code after its grant was withdrawn", () =>
      Effect.gen(function* () {
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        const code = yield* OAuth.approvedCode(caller, client)
        yield* (yield* Consents).withdraw(caller.userId, client.clientId)
        const refused = yield* Effect.flip(OAuth.exchange(client, OAuth.redemption(code)))
        assert.deepInclude(refused, { _tag: "ExchangeRefused", reason: "used_code" })
        assert.deepStrictEqual(yield* liveOf(caller.userId), [null])
      })
    )

    it.effect("rejects withdrawing a grant that does not exist, and records nothing", () =>
      Effect.gen(function* () {
        const consents = yield* Consents
        const { client } = yield* OAuth.register()
        const caller = yield* OAuth.signedIn
        for (const clientId of [client.clientId, "nobody", "\0"]) {
          assert.isFalse(yield* consents.withdraw(caller.userId, clientId))
        }
        assert.deepStrictEqual(yield* liveOf(caller.userId), [null])
        assert.deepStrictEqual(yield* (yield* Audit).about(caller.userId), [])
      })
    )

    it.effect("leaves no session if a grant is withdrawn during a code exchange", () =>
      Effect.gen(function* () {
        const consents = yield* Consents
        for (let round = 0; round < 10; round++) {
          const { client } = yield* OAuth.register()
          const caller = yield* OAuth.signedIn
          const code = yield* OAuth.approvedCode(caller, client)
          const exchange = Effect.exit(OAuth.exchange(client, OAuth.redemption(code)))
          const withdraw = consents.withdraw(caller.userId, client.clientId)
          const [exit, withdrawn] = yield* Effect.all([exchange, withdraw], { concurrency: "unbounded" })
          assert.isTrue(withdrawn)
          if (Exit.isSuccess(exit)) {
            const session = yield* (yield* Sessions).find(exit.value.issued.session.sessionId)
            assert.isNotNull(Option.getOrThrow(session).endedAtMillis)
          }
          assert.deepStrictEqual(yield* liveOf(caller.userId), [null])
        }
      })
    )
  })

suite("Consents in memory", OAuth.memory)
suite("Consents on Postgres", OAuth.postgres)

layer(OAuth.memory)("Consents", (it) => {
  it.effect("announces a withdrawn grant, so that all nodes reject the application's tokens", () =>
    Effect.gen(function* () {
      const { client } = yield* OAuth.register()
      const caller = yield* OAuth.signedIn
      const code = yield* OAuth.approvedCode(caller, client)
      const { issued } = yield* OAuth.exchange(client, OAuth.redemption(code))
      const announced: Array<Revocation> = []
      yield* (yield* Revocations).watch((revocation) => void announced.push(revocation))
      yield* (yield* Consents).withdraw(caller.userId, client.clientId)
      assert.deepStrictEqual(announced, [{ kind: "session", subject: issued.session.sessionId }])
    })
  )
})
