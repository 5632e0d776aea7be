/** Tests of wallet sign-in, over real sockets and a real database. */
import { Audit } from "@venue/storage/access/Audit"
import { Sessions } from "@venue/storage/access/Sessions"
import { UserStates } from "@venue/storage/access/UserStates"
import { LivingGateways } from "@venue/storage/nodes/LivingGateways"
import { expect, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { connect } from "node:net"
import { type AuthClient, clientKey } from "./AuthClient.ts"
import { AuthService, layer, solvedCaptcha } from "./AuthService.ts"
import { changesNothing } from "./Unchanged.ts"
import { wallet } from "./Wallet.ts"

it.layer(layer(), { excludeTestServices: true, timeout: "60 seconds" })("sign-in by wallet", (it) => {
  it.effect("W1: creates a user for a wallet, and returns the same user at the next sign-in", () =>
    Effect.gen(function* () {
      const { signIn, token } = yield* AuthService
      const someone = wallet()
      const { body, headers, status } = yield* token("web3", yield* someone.proof())
      expect(status).toBe(200)
      expect(headers.get("cache-control")).toBe("no-store")
      expect(body).toMatchObject({
        token_type: "bearer",
        expires_in: 3600,
        refresh_token: expect.stringMatching(/^vrt_[\w-]{43}$/),
        user: {
          aud: "authenticated",
          role: "authenticated",
          email: "",
          phone: "",
          app_metadata: { provider: "web3", providers: ["web3"] },
          user_metadata: {
            address: someone.address,
            chain: "ethereum",
            network: "42161",
            domain: "app.venue.example",
            statement: "Sign in to Example Venue"
          },
          identities: [{ id: `web3:ethereum:${someone.address.toLowerCase()}`, provider: "web3", identity_data: {} }],
          factors: [],
          is_anonymous: false
        }
      })
      expect(Number.isInteger(body.expires_at)).toBe(true)
      expect(Math.abs(body.expires_at - 3600 - (yield* Clock.currentTimeMillis) / 1000)).toBeLessThan(5)
      expect((yield* signIn(someone)).user.id).toBe(body.user.id)
      const [deed] = yield* (yield* Audit).about(body.user.id)
      expect(deed).toMatchObject({ action: "signed_in", actor: body.user.id })
    })
  )

  it.effect("W2, W3: accepts a message once among ten concurrent requests, and never again", () =>
    Effect.gen(function* () {
      const { token } = yield* AuthService
      const proof = yield* wallet().proof()
      const answers = yield* Effect.replicateEffect(token("web3", proof), 10, { concurrency: "unbounded" })
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      const late = yield* changesNothing(token("web3", proof))
      for (const { body, status } of [...answers.filter(({ status }) => status !== 200), late]) {
        expect([status, body.error_code]).toEqual([400, "invalid_grant"])
      }
    })
  )

  it.effect("W4: creates one user with ten sessions for ten concurrent first sign-ins of a wallet", () =>
    Effect.gen(function* () {
      const { signIn } = yield* AuthService
      const someone = wallet()
      const sessions = yield* Effect.replicateEffect(signIn(someone), 10, { concurrency: "unbounded" })
      expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1)
      expect(yield* (yield* Sessions).ofUser(sessions[0]!.user.id)).toHaveLength(10)
    })
  )

  it.effect(
    "W5–W11: returns 400 for an invalid message, with one code for an untrusted message and another for a malformed one",
    () =>
      Effect.gen(function* () {
        const { token } = yield* AuthService
        const someone = wallet()
        const now = yield* Clock.currentTimeMillis
        const good = yield* someone.proof()
        const other = yield* wallet().proof()
        const grants = [
          { ...good, signature: other.signature },
          yield* someone.proof({ domain: "app.venue.example.evil.test" }),
          yield* someone.proof({ uri: "https://app.venue.example/login/" }),
          yield* someone.proof({ statement: "Sign in to Another Venue" }),
          yield* someone.proof({ issuedAtMillis: now - 602_000 }),
          yield* someone.proof({ issuedAtMillis: now + 70_000 })
        ]
        const forms = [
          { ...good, signature: good.signature.slice(2) },
          { ...good, signature: `${good.signature}00` },
          { ...good, message: `${good.message}\n` },
          { ...good, message: good.message.replace(someone.address, someone.address.toLowerCase()) },
          { ...good, message: good.message.replace("Version: 1", "Version: 2") },
          yield* someone.proof({ nonce: "short" })
        ]
        yield* changesNothing(
          Effect.gen(function* () {
            for (const proof of grants) {
              expect(yield* token("web3", proof)).toMatchObject({ status: 400, body: { error_code: "invalid_grant" } })
            }
            for (const proof of forms) {
              expect(yield* token("web3", proof)).toMatchObject({
                status: 400,
                body: { error_code: "validation_failed", error: "invalid_request" }
              })
            }
          })
        )
        expect((yield* token("web3", good)).status).toBe(200)
      })
  )

  it.effect(
    "W12: returns different errors for a body that is not a JSON object and for a body with invalid members",
    () =>
      Effect.gen(function* () {
        const { send, token } = yield* AuthService
        const good = yield* wallet().proof()
        const refusals = yield* changesNothing(
          Effect.gen(function* () {
            const asJson = (body: unknown) =>
              Effect.map(token("web3", body), ({ body, status }) => [status, body.error_code])
            return {
              noObject: yield* Effect.forEach(["", "{", "[]", '"text"', "null", "1", "[".repeat(30_000)], asJson),
              wrong: yield* Effect.forEach(
                [
                  {},
                  { ...good, signature: 1 },
                  { ...good, message: null },
                  { ...good, svc_meta_security: "x" },
                  { ...good, message: "x".repeat(63) },
                  { ...good, message: "x".repeat(20_481) },
                  { ...good, message: good.message.replace("Sign", "Šign") }
                ],
                asJson
              ),
              unnamed: yield* send("POST", "/token?grant_type=web3", JSON.stringify(good), {
                apikey: clientKey,
                "content-type": "text/plain"
              }),
              large: yield* token("web3", { ...good, more: "x".repeat(70_000) })
            }
          })
        )
        expect(new Set(refusals.noObject.map(String))).toEqual(new Set(["400,bad_json"]))
        expect(new Set(refusals.wrong.map(String))).toEqual(new Set(["400,validation_failed"]))
        expect(refusals.unnamed).toMatchObject({ status: 400, body: { error_code: "bad_json" } })
        expect(refusals.large).toMatchObject({
          status: 413,
          body: { error_code: "request_entity_too_large", code: 413 }
        })
      })
  )

  it.effect("W12: uses the last value of a repeated member, and ignores unknown members", () =>
    Effect.gen(function* () {
      const { token } = yield* AuthService
      const { chain, message, signature } = yield* wallet().proof()
      const members = [`"chain":"solana"`, `"chain":"${chain}"`, `"message":${JSON.stringify(message)}`]
      const { status } = yield* token("web3", `{${members.join()},"signature":"${signature}","more":{"deep":[[[]]]}}`)
      expect(status).toBe(200)
    })
  )

  it.effect("W13: requires the client key, and refuses a bearer token that differs from the client key", () =>
    Effect.gen(function* () {
      const { send } = yield* AuthService
      const proof = yield* wallet().proof()
      const post = (headers: Record<string, string>) => send("POST", "/token?grant_type=web3", proof, headers)
      const refused = yield* changesNothing(
        Effect.forEach(
          [
            {},
            { apikey: "" },
            { apikey: "pk_test_other" },
            { authorization: `Bearer ${clientKey}` },
            { apikey: clientKey, authorization: "Bearer pk_test_older" },
            { apikey: clientKey, authorization: clientKey },
            { apikey: clientKey, authorization: "Bearer " }
          ],
          post
        )
      )
      for (const { body, status } of refused) {
        expect([status, body.error_code, body.error]).toEqual([401, "no_authorization", "invalid_client"])
      }
      expect((yield* post({ apikey: "pk_test_older" })).status).toBe(200)
    })
  )

  it.effect("W14: refuses chains other than Ethereum", () =>
    Effect.gen(function* () {
      const { token } = yield* AuthService
      const proof = yield* wallet().proof()
      for (const chain of ["solana", "Ethereum", ""]) {
        expect(yield* changesNothing(token("web3", { ...proof, chain }))).toMatchObject({
          status: 400,
          body: { error_code: "web3_unsupported_chain" }
        })
      }
    })
  )

  it.effect("W15: if CAPTCHAs are enabled, requires a solved CAPTCHA under any of the accepted member names", () =>
    Effect.gen(function* () {
      const { other } = yield* AuthService
      const { token } = yield* other({ captcha: "always" })
      const proof = yield* wallet().proof()
      const failed = { status: 400, body: { error_code: "captcha_failed", error: "invalid_request" } }
      const solved = { captcha_token: solvedCaptcha }
      yield* changesNothing(
        Effect.gen(function* () {
          expect(yield* token("web3", proof)).toMatchObject(failed)
          expect(yield* token("web3", { ...proof, svc_meta_security: {} })).toMatchObject(failed)
          expect(yield* token("web3", { ...proof, svc_meta_security: { captcha_token: "wrong" } })).toMatchObject(
            failed
          )
          const conflicting = { svc_meta_security: solved, gotrue_meta_security: { captcha_token: "wrong" } }
          expect(yield* token("web3", { ...proof, ...conflicting })).toMatchObject({
            status: 400,
            body: { error_code: "validation_failed" }
          })
        })
      )
      expect((yield* token("web3", { ...proof, gotrue_meta_security: solved })).status).toBe(200)
      for (const own of ["svc_meta_security", "acme_meta_security"]) {
        expect((yield* token("web3", { ...(yield* wallet().proof()), [own]: solved })).status).toBe(200)
      }
    })
  )

  it.effect("W15: in risk mode, requires a CAPTCHA only from an IP address with three failed sign-ins", () =>
    Effect.gen(function* () {
      const { other } = yield* AuthService
      const { token } = yield* other({ captcha: "risk", trustedProxies: ["127.0.0.1"] })
      const from = (address: string) => ({ "x-forwarded-for": address })
      for (let i = 0; i < 3; i++) yield* token("web3", yield* wallet().proof({ statement: "no" }), from("203.0.113.7"))
      const proof = yield* wallet().proof()
      expect(yield* changesNothing(token("web3", proof, from("203.0.113.7")))).toMatchObject({
        body: { error_code: "captcha_failed" }
      })
      expect((yield* token("web3", proof, from("203.0.113.8"))).status).toBe(200)
    })
  )

  it.effect("W15: in risk mode, counts an IP address's failed sign-ins over all gateways", () =>
    Effect.gen(function* () {
      const { other } = yield* AuthService
      const gateways = [1, 2].map(() => other({ captcha: "risk", trustedProxies: ["127.0.0.1"] }))
      const [one, two] = (yield* Effect.all(gateways)) as [AuthClient, AuthClient]
      const from = { "x-forwarded-for": "203.0.113.21" }
      for (const { token } of [one, two, one]) yield* token("web3", yield* wallet().proof({ statement: "no" }), from)
      expect((yield* two.token("web3", yield* wallet().proof(), from)).body).toMatchObject({
        error_code: "captcha_failed"
      })
    })
  )

  it.effect("W13: divides an IP address's limit of thirty sign-ins by the number of live gateways", () =>
    Effect.gen(function* () {
      const { timed } = yield* AuthService
      let gateways = 3
      const { token } = yield* timed({ limits: true }).pipe(Effect.provideService(LivingGateways, () => gateways))
      for (let i = 0; i < 10; i++) expect((yield* token("web3", {})).status).toBe(400)
      expect((yield* token("web3", {})).status).toBe(429)
      gateways = 1
      expect((yield* token("web3", {})).headers.get("retry-after")).toBe("10")
    })
  )

  it.effect(
    "W13, W16: limits an IP address to thirty sign-ins, and trusts forwarded addresses only from the venue's proxies",
    () =>
      Effect.gen(function* () {
        const { timed } = yield* AuthService
        const { later, send, token } = yield* timed({ limits: true })
        for (let i = 0; i < 30; i++) expect((yield* token("web3", {})).status).toBe(400)
        const { body, headers, status } = yield* token("web3", {}, { "x-forwarded-for": "203.0.113.7" })
        expect([status, body.error_code, body.error]).toEqual([
          429,
          "over_request_rate_limit",
          "temporarily_unavailable"
        ])
        expect(headers.get("retry-after")).toBe("10")
        const keyless = yield* send("POST", "/token?grant_type=web3", {})
        expect([keyless.status, keyless.body.error_code]).toEqual([401, "no_authorization"])
        expect(keyless.headers.get("retry-after")).toBeNull()
        expect((yield* token("refresh_token", {})).status).toBe(400)
        yield* later(10_000)
        expect((yield* token("web3", {})).status).toBe(400)
        const behindProxy = yield* timed({ limits: true, trustedProxies: ["127.0.0.0/8"] })
        for (let i = 0; i < 31; i++) {
          const headers = { "x-forwarded-for": `203.0.113.${i}` }
          expect((yield* behindProxy.token("web3", {}, headers)).status).toBe(400)
        }
      })
  )

  it.effect("I48: returns 503 to most sign-ins in a burst from unknown callers, and accepts sign-ins afterwards", () =>
    Effect.gen(function* () {
      const { origin, signIn } = yield* AuthService
      const forged = { ...(yield* wallet().proof()), signature: (yield* wallet().proof()).signature }
      const answers = yield* burst(new URL(origin), JSON.stringify(forged), 400)
      const busy = answers.filter((answer) => answer.startsWith("HTTP/1.1 503"))
      expect(busy.length).toBeGreaterThan(0)
      for (const answer of busy)
        expect(answer).toMatch(/\r\nretry-after: 1\r\n[\s\S]*"temporarily_unavailable".*"error_id"/i)
      expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 400"))).toHaveLength(400 - busy.length)
      yield* signIn(wallet())
    })
  )

  it.effect("W17: requires exactly one grant type, as a query parameter", () =>
    Effect.gen(function* () {
      const { send } = yield* AuthService
      const headers = { apikey: clientKey }
      const body = { ...(yield* wallet().proof()), grant_type: "web3" }
      const code = (path: string) => Effect.map(send("POST", path, body, headers), ({ body }) => body.error_code)
      yield* changesNothing(
        Effect.gen(function* () {
          expect(yield* code("/token")).toBe("unsupported_grant_type")
          expect(yield* code("/token?grant_type=password")).toBe("unsupported_grant_type")
          expect(yield* code("/token?grant_type=id_token")).toBe("unsupported_grant_type")
          expect(yield* code("/token?grant_type=web3&grant_type=web3")).toBe("validation_failed")
          expect(yield* code("/token?grant_type=web3&grant_type=refresh_token")).toBe("validation_failed")
        })
      )
    })
  )

  it.effect("W17: refuses a frozen user without using up the message", () =>
    Effect.gen(function* () {
      const { get, signIn, token } = yield* AuthService
      const states = yield* UserStates
      const someone = wallet()
      const { access_token, refresh_token, user } = yield* signIn(someone)
      yield* states.freeze(user.id)
      const proof = yield* someone.proof()
      const banned = { status: 403, body: { error_code: "user_banned", error: "access_denied" } }
      expect(yield* token("web3", proof)).toMatchObject(banned)
      expect(yield* token("refresh_token", { refresh_token })).toMatchObject(banned)
      expect(yield* get("/user", { authorization: `Bearer ${access_token}` })).toMatchObject(banned)
      yield* states.unfreeze(user.id)
      expect((yield* token("web3", proof)).status).toBe(200)
    })
  )
})

/** Sends `count` concurrent sign-ins on one connection, and returns the responses. */
const burst = ({ host, hostname, port }: URL, body: string, count: number) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const head = `POST /auth/v1/token?grant_type=web3 HTTP/1.1\r\nhost: ${host}\r\napikey: ${clientKey}\r\n`
    const request = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
    const socket = connect(Number(port), hostname, () => socket.write(request.repeat(count)))
    let received = ""
    socket.on("data", (bytes) => {
      received += String(bytes)
      const answers = received.split(/(?=HTTP\/1\.1 )/)
      if (answers.length < count || !answers.at(-1)!.endsWith("}")) return
      socket.destroy()
      resume(Effect.succeed(answers))
    })
  })
