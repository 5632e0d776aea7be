import { SessionTokens } from "@venue/auth/session/SessionTokens"
import { type Proof, type WalletRefused, WalletSignIn } from "@venue/auth/wallet/WalletSignIn"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { Audit } from "@venue/storage/access/Audit"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Identities } from "@venue/storage/access/Identities"
import { Sessions } from "@venue/storage/access/Sessions"
import { Users } from "@venue/storage/access/Users"
import { UserStates } from "@venue/storage/access/UserStates"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { memory, postgres, type Services, sites } from "../session/SessionServices.ts"
import { type MessageFields, signInMessage, wallet } from "./Wallets.ts"

/** Starts early on the clock, because the test clock runs every timer on the way to the start time. */
const start = 1_000_000
const issuedAt = new Date(start).toISOString()

/** Returns a message signed by the wallet with this number. */
const proof = (n: number, nonce: string, fields: Partial<MessageFields> = {}): Proof => {
  const { address, sign } = wallet(n)
  const message = signInMessage({ address, nonce, issuedAt, ...fields })
  return { chain: "ethereum", message, signature: sign(message) }
}

const signIn = (shown: Proof) => Effect.flatMap(WalletSignIn, (wallets) => wallets.signIn(shown))

const refusal = (shown: Proof) =>
  Effect.map(Effect.flip(signIn(shown)), (refused): WalletRefused["reason"] | "DatabaseUnavailable" =>
    refused._tag === "WalletRefused" ? refused.reason : refused._tag
  )

/** Returns the same signature with v in the other encoding. */
const otherV = ({ signature, ...rest }: Proof): Proof => ({
  ...rest,
  signature: signature.replace(/..$/, (v) => (Number.parseInt(v, 16) - 27).toString(16).padStart(2, "0"))
})

/** Asserts that the wallet has no user: a valid sign-in still treats the wallet as new. */
const isUnknown = (n: number) =>
  Effect.gen(function* () {
    const { session } = yield* signIn(proof(n, "stillunknown1"))
    const deeds = yield* (yield* Audit).about(session.userId)
    assert.deepStrictEqual(
      deeds.map(({ action, facts }) => [action, facts.isNew]),
      [["signed_in", true]]
    )
    assert.strictEqual((yield* (yield* Sessions).ofUser(session.userId)).length, 1)
  })

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "2 minutes" })(name, (it) => {
    it.effect("W1: creates a user for a new wallet, and returns the same user at the next sign-in", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const first = yield* signIn(proof(1, "firstnonce"))
        const second = yield* signIn(proof(1, "secondnonce", { chainId: "1" }))
        const { userId } = first.session
        assert.strictEqual(second.session.userId, userId)
        assert.notStrictEqual(second.session.sessionId, first.session.sessionId)
        assert.deepInclude(first.session, { clientId: null, aal: "aal1", scope: null })
        assert.deepStrictEqual(first.session.amr, [{ method: "web3", timestamp: 1_000 }])
        assert.deepStrictEqual(yield* (yield* Users).ownerOf(primaryAccountOf(userId)), Option.some(userId))
        const identities = yield* (yield* Identities).ofUser(userId)
        assert.strictEqual(identities.length, 1)
        assert.deepInclude(identities[0], {
          address: wallet(1).address.toLowerCase(),
          network: "1",
          domain: "app.venue.example",
          statement: "Sign in to Example Venue"
        })
        yield* (yield* SessionTokens).refresh(second.refreshToken, { clientId: null })
      })
    )

    it.effect(
      "W2, I42: accepts a message and its nonce once, even if the same signature is sent in another encoding",
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(start)
          const shown = proof(2, "onlyonce1")
          const { session } = yield* signIn(shown)
          assert.strictEqual(yield* refusal(shown), "reused")
          assert.strictEqual(yield* refusal(otherV(shown)), "reused")
          const upper = `0x${shown.signature.slice(2).toUpperCase()}`
          assert.strictEqual(yield* refusal({ ...shown, signature: upper }), "reused")
          assert.strictEqual(yield* refusal(proof(2, "onlyonce1", { chainId: "1" })), "reused")
          assert.strictEqual((yield* (yield* Sessions).ofUser(session.userId)).length, 1)
          yield* signIn(proof(3, "onlyonce1"))
        })
    )

    it.effect("W3: accepts exactly one of ten identical concurrent sign-ins", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const shown = proof(4, "identical1")
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, () => Effect.result(signIn(shown))),
          { concurrency: "unbounded" }
        )
        const [issued] = answers.filter(({ _tag }) => _tag === "Success")
        assert.strictEqual(answers.filter(({ _tag }) => _tag === "Success").length, 1)
        if (issued?._tag !== "Success") return
        assert.strictEqual((yield* (yield* Sessions).ofUser(issued.success.session.userId)).length, 1)
      })
    )

    it.effect("W4, I41: creates one user with ten sessions for ten concurrent first sign-ins", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const answers = yield* Effect.all(
          Array.from({ length: 10 }, (_, n) => signIn(proof(5, `together${n}`))),
          { concurrency: "unbounded" }
        )
        const users = new Set(answers.map(({ session }) => session.userId))
        assert.strictEqual(users.size, 1)
        assert.strictEqual((yield* (yield* Sessions).ofUser([...users][0]!)).length, 10)
      })
    )

    it.effect("rejects each kind of invalid message with its own reason, and creates no user", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const good = proof(6, "stillunknown1")
        const cases: ReadonlyArray<readonly [WalletRefused["reason"], Proof]> = [
          ["chain", { ...good, chain: "solana" }],
          ["chain", { ...good, chain: "Ethereum" }],
          ["length", { ...good, message: good.message.slice(0, 63) }],
          ["length", { ...good, message: good.message.padEnd(20_481, "x") }],
          ["length", { ...good, message: `${good.message}é` }],
          ["signature_form", { ...good, signature: good.signature.slice(2) }],
          ["signature_form", { ...good, signature: `${good.signature}00` }],
          ["message", { ...good, message: `${good.message}\n` }],
          ["message", proof(6, "stillunknown1", { issuedAt: "2026-02-30T00:00:00Z" })],
          ["message", proof(6, "stillunknown1", { issuedAt: "2026-02-28T24:00:00Z" })],
          ["message", proof(6, "stillunknown1", { expirationTime: "1970-02-30T00:00:00Z" })],
          ["message", proof(6, "stillunknown1", { expirationTime: issuedAt })],
          ["statement", proof(6, "stillunknown1", { statement: "Sign in to Another Venue" })],
          ["statement", proof(6, "stillunknown1", { statement: "Sign in to Example Venue " })],
          ["uri", proof(6, "stillunknown1", { uri: "https://app.venue.example/login/" })],
          ["uri", proof(6, "stillunknown1", { uri: "http://app.venue.example/login" })],
          ["domain", proof(6, "stillunknown1", { domain: "other.venue.example" })],
          ["domain", proof(6, "stillunknown1", { domain: "app.venue.example:443" })],
          ["time", proof(6, "stillunknown1", { issuedAt: new Date(start - 600_001).toISOString() })],
          ["time", proof(6, "stillunknown1", { issuedAt: new Date(start + 60_001).toISOString() })],
          [
            "time",
            proof(6, "stillunknown1", {
              expirationTime: new Date(start).toISOString(),
              issuedAt: new Date(start - 1).toISOString()
            })
          ],
          ["signature", { ...good, signature: wallet(7).sign(good.message) }],
          ["signature", { ...good, signature: good.signature.replace(/..$/, "1d") }]
        ]
        for (const [reason, shown] of cases) {
          assert.strictEqual(yield* refusal(shown), reason, shown.message)
        }
        yield* isUnknown(6)
      })
    )

    it.effect("W2: leaves the nonce unused after a wrong signature", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const shown = proof(8, "notburnt1")
        assert.strictEqual(yield* refusal({ ...shown, signature: wallet(9).sign(shown.message) }), "signature")
        yield* signIn(shown)
      })
    )

    it.effect("W17: rejects a frozen user, and accepts the same message after unfreezing", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const { session } = yield* signIn(proof(10, "beforefrost"))
        const states = yield* UserStates
        yield* states.freeze(session.userId)
        const shown = proof(10, "afterfrost1")
        assert.strictEqual(yield* refusal(shown), "frozen")
        assert.strictEqual((yield* (yield* Sessions).ofUser(session.userId)).length, 1)
        yield* states.unfreeze(session.userId)
        yield* signIn(shown)
      })
    )

    it.effect("W18: rolls back if a step after the nonce check fails, and then accepts the same message again", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const shown = proof(11, "stillunknown1")
        const tokens = yield* SessionTokens
        const failing = SessionTokens.of({
          ...tokens,
          begin: (beginning) =>
            Effect.andThen(tokens.begin(beginning), Effect.fail(new DatabaseUnavailable({ cause: "gone" })))
        })
        const services = yield* Effect.context<Services>()
        const broken = yield* Layer.build(
          Layer.fresh(WalletSignIn.layer({ enabled: true, serviceName: "Example Venue", sites }))
        ).pipe(Effect.provide(Context.add(services, SessionTokens, failing)))
        const failed = yield* Effect.flip(Context.get(broken, WalletSignIn).signIn(shown))
        assert.strictEqual(failed._tag, "DatabaseUnavailable")
        yield* isUnknown(11)
      }).pipe(Effect.scoped)
    )

    it.effect("I46: an error contains no part of the message", () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const shown = proof(12, "secretnonce1")
        const { accessToken, refreshToken } = yield* signIn(shown)
        const refused = yield* Effect.flip(signIn(shown))
        const text = `${String(refused)} ${JSON.stringify(refused)}`
        assert.notMatch(text, /secretnonce1/)
        assert.notInclude(text, shown.signature)
        const printed = `${String(accessToken)} ${JSON.stringify({ accessToken, refreshToken })}`
        assert.notInclude(printed, Redacted.value(refreshToken))
        assert.notInclude(printed, Redacted.value(accessToken))
      })
    )
  })

suite("WalletSignIn in memory", memory)
suite("WalletSignIn on Postgres", postgres)

describe("WalletSignIn", () => {
  const inSetting = (options: Partial<Parameters<typeof WalletSignIn.layer>[0]>) =>
    Layer.fresh(WalletSignIn.layer({ enabled: true, serviceName: "Example Venue", sites, ...options })).pipe(
      Layer.provide(memory)
    )

  it.effect("W14: rejects every sign-in when wallet sign-in is disabled", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      assert.strictEqual(yield* refusal(proof(1, "switchedoff")), "disabled")
    }).pipe(Effect.provide(inSetting({ enabled: false })))
  )

  it.effect("W6: signs in the same user with a lower-case address if the settings allow lower case", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const lower = proof(1, "lowercase1", { address: wallet(1).address.toLowerCase() })
      const { session } = yield* signIn(proof(1, "checksummed1"))
      assert.strictEqual((yield* signIn(lower)).session.userId, session.userId)
    }).pipe(Effect.provide(inSetting({ acceptLowercaseAddress: true })))
  )

  it.effect("W6: rejects a lower-case address unless the settings allow lower case", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      assert.strictEqual(
        yield* refusal(proof(1, "lowercase1", { address: wallet(1).address.toLowerCase() })),
        "message"
      )
    }).pipe(Effect.provide(inSetting({})))
  )
})
