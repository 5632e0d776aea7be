/** Tests of expiring operator tokens, second factors, sessions and renewals, over real sockets. */
import { it } from "@effect/vitest"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { Audit } from "@venue/storage/access/Audit"
import { Clock, Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import { expect } from "vitest"
import { adminToken, call, layer } from "../rest/RestClient.ts"

const reason = "asked for"
const day = 86_400_000

/** Computes the code of RFC 6238 for a secret in base32. */
const codeOf = (secret: string, atMillis: number): string => {
  const bits = Array.from(secret, (letter) =>
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".indexOf(letter).toString(2).padStart(5, "0")
  ).join("")
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigInt64BE(BigInt(Math.floor(atMillis / 30_000)))
  const hash = createHmac("sha1", key).update(counter).digest()
  return String((hash.readUInt32BE(hash.at(-1)! & 15) & 0x7fff_ffff) % 1_000_000).padStart(6, "0")
}

/** Opens the operator interface on a clock of its own. */
const open = Effect.gen(function* () {
  const clock = yield* TestClock.make()
  yield* clock.setTime(1_795_000_000_000)
  const atClock = Effect.provideService(Clock.Clock, clock)
  const { url } = yield* atClock(AdminServer.open({ port: 0, token: () => Redacted.make(adminToken) }))
  const ask = (method: string, path: string, token: string, body?: object) =>
    call(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) })
    })
  const read = (token: string) => Effect.map(ask("GET", "/alarms", token), ({ status }) => status)
  /** Sends requests that are answered only after a second of the clock. */
  const slowly = <A, E>(self: Effect.Effect<A, E>) =>
    Effect.raceFirst(
      self,
      Effect.forever(
        Effect.andThen(
          clock.adjust("1 second"),
          Effect.promise(() => new Promise(setImmediate))
        )
      )
    )
  return { ask, clock, read, slowly }
})

it.layer(layer, { excludeTestServices: true })("operator tokens", (it) => {
  it.effect("expire after the days of the appointment, 90 by default and 365 at most", () =>
    Effect.gen(function* () {
      const { ask, clock, read, slowly } = yield* open
      const appoint = (name: string, more: object) =>
        ask("POST", "/operators", adminToken, { name, roles: ["viewer"], reason, ...more })
      const [usual, short] = [yield* appoint("nina", {}), yield* appoint("olaf", { expires_in_days: 2 })]
      const now = clock.currentTimeMillisUnsafe()
      expect(Date.parse(usual.body.expires_at) - now).toBe(90 * day)
      expect(Date.parse(short.body.expires_at) - now).toBe(2 * day)
      for (const expires_in_days of [0, 366, 1.5]) {
        expect((yield* appoint("paula", { expires_in_days })).status).toBe(422)
      }
      expect(yield* read(short.body.token)).toBe(200)
      yield* clock.adjust("2 days")
      const { body, status } = yield* slowly(ask("GET", "/alarms", short.body.token))
      expect([status, body.detail]).toEqual([401, expect.stringContaining("expired or renewed")])
      expect(yield* read(usual.body.token)).toBe(200)
    })
  )

  it.effect("with a second factor are exchanged with a code for a session of 12 h", () =>
    Effect.gen(function* () {
      const { ask, clock, read, slowly } = yield* open
      const appointed = yield* ask("POST", "/operators", adminToken, {
        name: "vera",
        roles: ["viewer"],
        second_factor: true,
        reason
      })
      const { token } = appointed.body
      expect([appointed.body.second_factor, (yield* ask("GET", "/alarms", token)).body.type]).toEqual([
        "required",
        expect.stringContaining("/second-factor-required")
      ])
      const begin = (code: string) => ask("POST", "/operators/session", token, { code })
      const early = yield* begin("123456")
      expect([early.status, early.body.type]).toEqual([409, expect.stringContaining("/factor-not-enrolled")])

      const { secret, uri } = (yield* ask("POST", "/operators/second-factor", token)).body
      expect(uri).toContain(`secret=${secret}`)
      const code = codeOf(secret, clock.currentTimeMillisUnsafe())
      const session = yield* begin(code)
      expect(session.status).toBe(201)
      expect(Date.parse(session.body.expires_at) - clock.currentTimeMillisUnsafe()).toBe(day / 2)
      expect([yield* read(session.body.token), yield* read(token)]).toEqual([200, 403])

      const repeated = yield* begin(code)
      expect([repeated.status, repeated.body.detail]).toEqual([401, expect.stringContaining("already used")])
      const again = yield* ask("POST", "/operators/second-factor", token)
      expect([again.status, again.body.type]).toEqual([409, expect.stringContaining("/factor-enrolled")])
      yield* clock.adjust("12 hours")
      expect((yield* slowly(ask("GET", "/alarms", session.body.token))).status).toBe(401)
    })
  )

  it.effect("limit the attempts to send a code", () =>
    Effect.gen(function* () {
      const { ask, clock } = yield* open
      const appointed = { name: "guessed", roles: ["viewer"], second_factor: true, reason }
      const { token } = (yield* ask("POST", "/operators", adminToken, appointed)).body
      const { secret } = (yield* ask("POST", "/operators/second-factor", token)).body
      const right = codeOf(secret, clock.currentTimeMillisUnsafe())
      const wrong = String((Number(right) + 1) % 1_000_000).padStart(6, "0")
      const answers = yield* Effect.replicateEffect(ask("POST", "/operators/session", token, { code: wrong }), 6)
      expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429])
      expect((yield* ask("POST", "/operators/session", token, { code: right })).status).toBe(429)
      yield* clock.adjust("3 minutes")
      const code = codeOf(secret, clock.currentTimeMillisUnsafe())
      expect((yield* ask("POST", "/operators/session", token, { code })).status).toBe(201)
    })
  )

  it.effect("are renewed by their owner, and by an admin for others; the former token ends", () =>
    Effect.gen(function* () {
      const { ask, read, slowly } = yield* open
      const appoint = (name: string) =>
        Effect.map(ask("POST", "/operators", adminToken, { name, roles: ["viewer"], reason }), ({ body }) => body.token)
      const [token, other] = [yield* appoint("walt"), yield* appoint("xena")]
      const renewed = yield* ask("POST", "/operators/renew", token, { expires_in_days: 30, reason: "rotation" })
      expect([renewed.status, yield* read(renewed.body.token)]).toEqual([200, 200])
      expect((yield* slowly(ask("GET", "/alarms", token))).status).toBe(401)

      for (const body of [{ name: "walt" }, { second_factor: false }]) {
        const refused = yield* ask("POST", "/operators/renew", other, { ...body, reason })
        expect([refused.status, refused.body.type]).toEqual([403, expect.stringContaining("/role-needed")])
      }
      const reset = yield* ask("POST", "/operators/renew", adminToken, { name: "xena", second_factor: true, reason })
      expect([reset.body.second_factor, yield* read(reset.body.token)]).toEqual(["required", 403])
      const own = yield* ask("POST", "/operators/renew", adminToken, { reason })
      expect([own.status, own.body.detail]).toEqual([404, expect.stringContaining("VENUE_ADMIN_TOKEN")])
      const [deed] = yield* (yield* Audit).about("walt")
      expect(deed).toMatchObject({ action: "operator_renewed", actor: "walt", facts: { days: 30, reason: "rotation" } })
    })
  )

  it.effect("are listed with their expiry, after the first admin", () =>
    Effect.gen(function* () {
      const { ask } = yield* open
      yield* ask("POST", "/operators", adminToken, { name: "yves", roles: ["treasurer"], reason })
      const { body } = yield* ask("GET", "/operators", adminToken)
      expect([body.data[0], body.count]).toEqual([
        {
          name: "operator",
          kind: "first-admin",
          roles: ["admin"],
          second_factor: "none",
          created_at: null,
          expires_at: null,
          removed_at: null
        },
        body.data.length
      ])
      const listed = body.data.find(({ name }: { name: string }) => name === "yves")
      expect(listed).toMatchObject({ kind: "appointed", second_factor: "none", removed_at: null })
      expect(Date.parse(listed.expires_at) - Date.parse(listed.created_at)).toBe(90 * day)
    })
  )
})
