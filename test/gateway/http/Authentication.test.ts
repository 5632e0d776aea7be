/** Tests of the rate-limit charge before authentication, over real sockets. */
import { Hmac } from "@venue/auth/access/Hmac"
import { Bearers } from "@venue/auth/session/Bearers"
import * as RateLimits from "@venue/domain/RateLimits"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { ApiKeys } from "@venue/storage/access/ApiKeys"
import { Sessions } from "@venue/storage/access/Sessions"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { callsTo, layer, RestClient, sockets } from "../rest/RestClient.ts"

/** Opens a REST listener that counts credential look-ups. Its IP address buckets never refill. */
const counted = Effect.gen(function* () {
  const lookups = { keys: 0, sessions: 0 }
  const [keys, sessions] = [yield* ApiKeys, yield* Sessions]
  const services = yield* Layer.build(
    Layer.merge(Layer.fresh(Hmac.layer), Layer.fresh(Bearers.layer({ issuer: "https://auth.venue.test/auth/v1" })))
  ).pipe(
    Effect.provideService(ApiKeys, {
      ...keys,
      find: (publicKey) =>
        Effect.andThen(
          Effect.sync(() => void lookups.keys++),
          keys.find(publicKey)
        )
    }),
    Effect.provideService(Sessions, {
      ...sessions,
      find: (sessionId) =>
        Effect.andThen(
          Effect.sync(() => void lookups.sessions++),
          sessions.find(sessionId)
        )
    })
  )
  const limits = RateLimits.make({ capacity: 20, refillMillis: 60_000, enabled: true, nowMillis: () => 0 })
  const open = RestServer.open({ host: "127.0.0.1", port: 0, brand: "acme", sockets, limits })
  const { get, post } = callsTo((yield* Effect.provideContext(open, services)).url)
  /** Sends `times` requests with an unknown key. */
  const strange = Effect.fnUntraced(function* (user: TestUser, times: number) {
    const { signed } = yield* RestClient
    const request = Effect.gen(function* () {
      const headers = { ...(yield* signed(user)), "x-svc-public-key": `svc_pub_${"0".repeat(32)}` }
      const { headers: answerHeaders, status } = yield* post("/user/leverage", {}, headers)
      return [status, answerHeaders.get("retry-after")]
    })
    return yield* Effect.all(
      Array.from({ length: times }, () => request),
      { concurrency: "unbounded" }
    )
  })
  return { get, lookups, strange }
})

it.live(
  "charges a request with an unknown key to the IP address, but accepts known keys even while that bucket is empty",
  () =>
    Effect.gen(function* () {
      const { signed } = yield* RestClient
      const venue = yield* TestVenue
      const [known, other] = [yield* venue.user("known"), yield* venue.user("other")]
      const { get, lookups, strange } = yield* counted
      const status = Effect.fnUntraced(function* (headers: Record<string, string>) {
        return (yield* get("/user/positions", headers)).status
      })
      const bearer = { authorization: `Bearer ${yield* venue.token(known)}` }
      // The first charge of a valid key is refunded, so the address bucket is full afterwards.
      for (let times = 0; times < 30; times++) {
        expect(yield* status(times % 2 === 0 ? bearer : yield* signed(known))).toBe(200)
      }
      expect(lookups).toEqual({ keys: 1, sessions: 1 })

      // A write costs 10 tokens, so the bucket pays for two writes, even if requests are concurrent.
      const answers = yield* strange(known, 20)
      expect(answers.map(([answer]) => answer).toSorted()).toEqual([401, 401, ...Array.from({ length: 18 }, () => 429)])
      expect(answers.every(([answer, again]) => (answer === 429) === (again === "30"))).toBe(true)
      expect(lookups.keys).toBeLessThanOrEqual(3)
      const { keys } = lookups
      expect(yield* status(yield* signed(other))).toBe(429)
      expect(yield* status({ authorization: `Bearer ${yield* venue.token(other)}` })).toBe(429)
      expect([yield* status(yield* signed(known)), yield* status(bearer)]).toEqual([200, 200])
      expect(lookups).toEqual({ keys, sessions: 1 })
    }).pipe(Effect.scoped, Effect.provide(layer))
)

it.live("refuses a malformed API key without looking it up", () =>
  Effect.gen(function* () {
    const { signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("formless")
    const { get, lookups } = yield* counted
    for (const publicKey of ["", "x", "svc_pub_1", `${user.publicKey}0`]) {
      const headers = { ...(yield* signed(user)), "x-svc-public-key": publicKey }
      expect((yield* get("/user/positions", headers)).status).toBe(401)
    }
    expect(lookups).toEqual({ keys: 0, sessions: 0 })
  }).pipe(Effect.scoped, Effect.provide(layer))
)
