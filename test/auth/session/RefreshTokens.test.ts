import { Bearers } from "@venue/auth/session/Bearers"
import { Audit } from "@venue/storage/access/Audit"
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { again, begin, find, refresh, refusal, start } from "./Refreshes.ts"
import { memory, postgres, type Services } from "./SessionServices.ts"

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "60 seconds" })(name, (it) => {
    for (const [name, after] of [
      ["within ten seconds", "10 seconds"],
      ["a week later", "7 days"]
    ] as const) {
      it.effect(`R1, I43: returns the same unused successor when a token is repeated ${name}`, () =>
        Effect.gen(function* () {
          const first = yield* begin()
          yield* TestClock.adjust("1 hour")
          const second = yield* refresh(first.refreshToken)
          yield* TestClock.adjust(after)
          const repeat = yield* refresh(first.refreshToken)
          assert.strictEqual(Redacted.value(repeat.refreshToken), Redacted.value(second.refreshToken))
          assert.notStrictEqual(Redacted.value(repeat.accessToken), Redacted.value(second.accessToken))
          assert.notStrictEqual(Redacted.value(second.refreshToken), Redacted.value(first.refreshToken))
          yield* (yield* Bearers).verify(Redacted.value(repeat.accessToken))
          yield* refresh(second.refreshToken)
        })
      )
    }

    it.effect("R1, I43: ends the session if a token is repeated after its successor was used", () =>
      Effect.gen(function* () {
        const first = yield* begin()
        const other = yield* again(first.session.userId)
        const second = yield* refresh(first.refreshToken)
        yield* TestClock.adjust("1 hour")
        yield* refresh(first.refreshToken)
        const third = yield* refresh(second.refreshToken)
        yield* TestClock.adjust(10_001)
        assert.strictEqual(yield* refusal(first.refreshToken), "already_used")
        const endedAtMillis = start + 60 * 60 * 1000 + 10_001
        assert.strictEqual((yield* find(first.session.sessionId)).endedAtMillis, endedAtMillis)
        assert.strictEqual(yield* refusal(third.refreshToken), "session_ended")
        assert.strictEqual(yield* refusal(first.refreshToken), "session_ended")
        const [deed] = yield* (yield* Audit).about(first.session.userId)
        assert.deepInclude(deed, {
          action: "refresh_token_reused",
          facts: { sessionId: first.session.sessionId }
        })
        yield* refresh(other.refreshToken)
      })
    )

    it.effect(
      "R3, I43: if a token and its parent arrive concurrently, ends the session only if the parent is processed last",
      () =>
        Effect.gen(function* () {
          const first = yield* begin()
          const second = yield* refresh(first.refreshToken)
          const [byParent, byToken] = yield* Effect.all(
            [Effect.result(refresh(first.refreshToken)), refresh(second.refreshToken)],
            { concurrency: "unbounded" }
          )
          const { endedAtMillis } = yield* find(first.session.sessionId)
          if (byParent._tag === "Success") {
            assert.strictEqual(Redacted.value(byParent.success.refreshToken), Redacted.value(second.refreshToken))
            assert.isNull(endedAtMillis)
            yield* refresh(byToken.refreshToken)
          } else {
            assert.isNotNull(endedAtMillis)
            assert.strictEqual(yield* refusal(byToken.refreshToken), "session_ended")
          }
        })
    )

    it.effect(
      "R2, I43: ends the session whenever a token is used that is two generations older than the newest token",
      () =>
        Effect.gen(function* () {
          const first = yield* begin()
          const second = yield* refresh(first.refreshToken)
          const third = yield* refresh(second.refreshToken)
          assert.strictEqual(yield* refusal(first.refreshToken), "already_used")
          assert.strictEqual(yield* refusal(second.refreshToken), "session_ended")
          assert.strictEqual(yield* refusal(third.refreshToken), "session_ended")
          const gone = yield* Effect.flip((yield* Bearers).verify(Redacted.value(third.accessToken)))
          assert.strictEqual(gone._tag, "SessionEnded")
        })
    )

    it.effect("R3, I43: returns one successor for fifty concurrent refreshes with one token", () =>
      Effect.gen(function* () {
        const first = yield* begin()
        const answers = yield* Effect.all(
          Array.from({ length: 50 }, () => refresh(first.refreshToken)),
          { concurrency: "unbounded" }
        )
        const successors = new Set(answers.map(({ refreshToken }) => Redacted.value(refreshToken)))
        assert.strictEqual(successors.size, 1)
        assert.isNull((yield* find(first.session.sessionId)).endedAtMillis)
        yield* refresh(answers[0]!.refreshToken)
      })
    )
  })

suite("RefreshTokens in memory", memory)
suite("RefreshTokens on Postgres", postgres)
