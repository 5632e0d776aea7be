import { check, claimsOf, isOver } from "@venue/auth/session/AccessToken"
import { generate } from "@venue/auth/keys/SigningKey"
import { SigningKeys } from "@venue/auth/keys/SigningKeys"
import { UserId } from "@venue/domain/UserId"
import type { Session } from "@venue/storage/access/Sessions"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"
import { createHmac, type KeyObject, sign } from "node:crypto"
import { decodeProtectedHeader } from "jose"
import { issuer } from "./SessionServices.ts"

const nowSeconds = 1_772_366_400

const session: Session = {
  sessionId: "c5f2b3de-6a1f-4c39-8f55-90c9a4c0a8aa",
  userId: UserId.make("0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"),
  clientId: null,
  publicClient: false,
  scope: null,
  aal: "aal1",
  amr: [{ method: "web3", timestamp: nowSeconds }],
  createdAtMillis: nowSeconds * 1000,
  refreshedAtMillis: nowSeconds * 1000,
  expiresAtMillis: nowSeconds * 1000 + 1e9,
  endedAtMillis: null
}
const claims = claimsOf(session, { issuer, tokenId: "5f0f", scope: null, issuedAtSeconds: nowSeconds })

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url")
const es256 = (text: string, key: KeyObject) =>
  sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")

/** Signs the given header and claims with the venue's own key; `undefined` omits a member. */
const token = (changes: { readonly header?: object; readonly claims?: object } = {}) =>
  Effect.gen(function* () {
    const [active] = yield* (yield* SigningKeys).ring
    const header = { alg: "ES256", kid: active!.key.kid, typ: "at+jwt", ...changes.header }
    const text = `${encoded(header)}.${encoded({ ...claims, ...changes.claims })}`
    return `${text}.${es256(text, Redacted.value(active!.key.privateKey))}`
  })

const checked = (text: string, nowMillis = nowSeconds * 1000) =>
  Effect.flatMap(SigningKeys, (keys) => check(text, { issuer, keys, nowMillis }))
const refusal = (text: string, nowMillis?: number) =>
  Effect.map(Effect.flip(checked(text, nowMillis)), ({ reason }) => reason)

layer(SigningKeys.layerMemory)("AccessToken", (it) => {
  it.effect("returns the claims of an issued token", () =>
    Effect.gen(function* () {
      const issued = yield* (yield* SigningKeys).sign(claims, "at+jwt")
      const tokenClaims = yield* checked(issued)
      assert.deepStrictEqual(tokenClaims, {
        userId: session.userId,
        sessionId: session.sessionId,
        kid: decodeProtectedHeader(issued).kid!,
        aal: "aal1",
        clientId: null,
        scope: null,
        issuedAtMillis: nowSeconds * 1000,
        expiresAtMillis: (nowSeconds + 3600) * 1000
      })
    })
  )

  it.effect("includes client and scope in an application's token, but not in the token of a user's own session", () =>
    Effect.gen(function* () {
      assert.notProperty(claims, "client_id")
      assert.notProperty(claims, "scope")
      const granted = { ...session, clientId: "7c1d", scope: "openid email" }
      const issue = { issuer, tokenId: "5f0f", scope: "email", issuedAtSeconds: nowSeconds }
      const tokenClaims = yield* checked(yield* (yield* SigningKeys).sign(claimsOf(granted, issue), "at+jwt"))
      assert.deepInclude(tokenClaims, { clientId: "7c1d", scope: "email" })
    })
  )

  it.effect("U2, I45: rejects a token with a header that the venue would not issue", () =>
    Effect.gen(function* () {
      const own = generate()
      const headers: ReadonlyArray<object> = [
        { kid: undefined },
        { typ: undefined },
        { typ: "JWT" },
        { typ: "AT+JWT" },
        { typ: "application/at+jwt" },
        { alg: undefined },
        { alg: "es256" },
        { alg: "none" },
        { alg: "ES384" },
        { crit: ["exp"], exp: 1 },
        { crit: ["b64"], b64: true },
        { b64: false },
        { jwk: own.publicJwk },
        { jku: "https://evil.example/jwks.json" },
        { x5u: "https://evil.example/x.pem" },
        { x5c: ["MIIB"] }
      ]
      for (const header of headers) {
        assert.strictEqual(yield* refusal(yield* token({ header })), "header", JSON.stringify(header))
      }
      assert.strictEqual(yield* refusal(yield* token({ header: { kid: "unknown" } })), "unknown_key")
      assert.strictEqual(yield* refusal(yield* token({ header: { kid: 7 } })), "unknown_key")
    })
  )

  it.effect(
    "U2, I45: rejects a token that is unsigned, signed by another key or signed with the public key as secret",
    () =>
      Effect.gen(function* () {
        const [active] = yield* (yield* SigningKeys).ring
        const { kid, publicKey } = active!.key
        const [header, payload, signature] = (yield* token()).split(".") as [string, string, string]
        const pem = publicKey.export({ format: "pem", type: "spki" })
        const hs256 = `${encoded({ alg: "HS256", kid, typ: "at+jwt" })}.${payload}`
        const hmac = createHmac("sha256", pem).update(hs256).digest("base64url")
        assert.strictEqual(yield* refusal(`${hs256}.${hmac}`), "header")
        assert.strictEqual(yield* refusal(`${header}.${payload}.`), "form")
        assert.strictEqual(yield* refusal(`${encoded({ alg: "none", kid, typ: "at+jwt" })}.${payload}.`), "form")
        const other = es256(`${header}.${payload}`, Redacted.value(generate().privateKey))
        assert.strictEqual(yield* refusal(`${header}.${payload}.${other}`), "signature")
        const raised = encoded({ ...claims, aal: "aal2" })
        assert.strictEqual(yield* refusal(`${header}.${raised}.${signature}`), "signature")
        assert.strictEqual(yield* refusal(`${header}.${payload}.${signature.slice(0, -4)}`), "signature")
      })
  )

  it.effect("U2, I45: rejects a token with claims that the venue would not issue", () =>
    Effect.gen(function* () {
      const wrong: ReadonlyArray<object> = [
        { iss: undefined },
        { iss: `${issuer}/` },
        { iss: "https://evil.example/auth/v1" },
        { aud: undefined },
        { aud: "7c1d" },
        { aud: ["7c1d"] },
        { exp: undefined },
        { exp: String(nowSeconds + 3600) },
        { exp: nowSeconds + 3600.5 },
        { exp: null },
        { iat: undefined },
        { iat: nowSeconds + 61 },
        { iat: String(nowSeconds) },
        { sub: undefined },
        { sub: "somebody" },
        { sub: session.userId.toUpperCase() },
        { session_id: undefined },
        { session_id: "1" },
        { aal: undefined },
        { aal: "aal3" },
        { client_id: 7 },
        { nbf: nowSeconds + 60 }
      ]
      for (const changed of wrong) {
        assert.strictEqual(yield* refusal(yield* token({ claims: changed })), "claims", JSON.stringify(changed))
      }
      yield* checked(yield* token({ claims: { aud: ["7c1d", "authenticated"] } }))
      yield* checked(yield* token({ claims: { iat: nowSeconds + 60 } }))
    })
  )

  it.effect("accepts a token until five seconds after its expiry", () =>
    Effect.gen(function* () {
      const text = yield* token()
      const over = (nowSeconds + 3605) * 1000
      const tokenClaims = yield* checked(text, over - 1)
      assert.isFalse(isOver(tokenClaims, over - 1))
      assert.strictEqual(yield* refusal(text, over), "expired")
      assert.isTrue(isOver(tokenClaims, over))
    })
  )

  it.effect("I50: rejects any text that is not a token", () =>
    Effect.gen(function* () {
      const good = yield* token()
      const texts = [
        "",
        ".",
        "..",
        "a.b.c",
        "null.null.null",
        `${good}.`,
        ` ${good}`,
        `${good}\n`,
        good.replace(".", "")
      ]
      for (const text of [...texts, `bnVsbA.${good}`, "空.空.空", "x".repeat(100_000), `${encoded([])}.e30.AA`]) {
        assert.include(["form", "header"], yield* refusal(text), text.slice(0, 40))
      }
      assert.strictEqual(yield* refusal(yield* token({ claims: { note: "x".repeat(8 * 1024) } })), "form")
      yield* checked(yield* token({ claims: { note: "x".repeat(1024) } }))
    })
  )

  it.effect("rejects a token with any character changed", () =>
    Effect.gen(function* () {
      const good = yield* token()
      const edits = fc.sample(fc.record({ at: fc.nat(good.length - 1), by: fc.constantFrom(..."aZ0_-.") }), 300)
      // Skips the signature's last character, in which four bits are unused.
      for (const { at, by } of edits.filter(({ at, by }) => good[at] !== by && at !== good.length - 1)) {
        yield* refusal(good.slice(0, at) + by + good.slice(at + 1))
      }
    })
  )
})
