/** Tests of readiness checks on both kinds of listener. */
import { release } from "@venue/api/Release"
import { Feed } from "@venue/cluster/feed/Feed"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Unavailable } from "@venue/cluster/protocol/Market"
import { defaults } from "@venue/cluster/VenueSettings"
import * as OpenInterest from "@venue/domain/OpenInterest"
import * as AuthServer from "@venue/gateway/auth/AuthServer"
import { Health } from "@venue/gateway/http/Health"
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import { Revocations } from "@venue/storage/access/Revocations"
import { Captcha } from "@venue/providers/Captcha"
import { expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { call, layer, RestClient } from "../rest/RestClient.ts"

it.effect("reports that the gateway is not ready once its shutdown has begun", () =>
  Effect.gen(function* () {
    const { ready, reason, stop } = Context.get(yield* Layer.build(standIn({})), Health)
    expect(reason()).toBe("Waiting for a runner: no desk has responded in the last 5 s.")
    yield* TestClock.adjust("2 seconds")
    expect(ready()).toBe(true)
    yield* stop
    expect(ready()).toBe(false)
    expect(reason()).toBe("This gateway is stopping.")
  })
)

interface Silent {
  market?: string
  desk?: string
  revocationsMillis?: number
}

/** Health checks over markets, desks and revocations that the test can silence. */
const standIn = (silent: Silent) =>
  Health.layer.pipe(
    Layer.provide(Layer.mock(Revocations)({ delayMillis: () => silent.revocationsMillis ?? 0 })),
    Layer.provide(
      Layer.effect(
        Feed,
        Effect.map(Clock.Clock, (clock) =>
          Feed.of({
            follow: () => () => {},
            followMarket: () => () => {},
            watch: () => () => {},
            head: (symbol) => ({
              epoch: 1,
              seq: 1,
              aliveAtMillis: symbol === silent.market ? 0 : clock.currentTimeMillisUnsafe()
            }),
            prices: new Map(),
            sampling: new Map(),
            splitMillis: new Map(),
            openInterest: OpenInterest.none(),
            takeovers: new Map(),
            tradingStates: new Map(),
            instruments: new Map(),
            depth: () => undefined
          })
        )
      )
    ),
    Layer.provide(
      Layer.succeed(
        DeskClient,
        DeskClient.of({
          submit: () => {},
          whenReplied: (_userId, then) => then(),
          ask: () => Effect.die("not expected"),
          askDesk: () => Effect.die("not expected"),
          summary: () => Effect.die("not expected"),
          balances: () => Effect.die("not expected"),
          orders: () => Effect.die("not expected"),
          leverages: () => Effect.die("not expected"),
          watermarks: () => Effect.die("not expected"),
          journalHead: () => Effect.die("not expected"),
          feeTier: () => Effect.die("not expected"),
          preview: () => Effect.die("not expected"),
          wake: (deskId) => (deskId === silent.desk ? Effect.fail(new Unavailable({ what: "desk" })) : Effect.void)
        })
      )
    )
  )

it.effect(
  "the gateway is ready while every desk responds, every market publishes rows and revocations are up to date",
  () =>
    Effect.gen(function* () {
      const silent: Silent = { desk: String(defaults.desks - 1) }
      const { ready, reason } = Context.get(yield* Layer.build(standIn(silent)), Health)
      expect(ready()).toBe(false)
      yield* TestClock.adjust("2 seconds")
      expect(ready()).toBe(false)
      expect(reason()).toBe(`Waiting for desk ${defaults.desks - 1}, which has not responded in the last 5 s.`)
      delete silent.desk
      yield* TestClock.adjust("1 second")
      expect(ready()).toBe(true)
      silent.desk = "3"
      yield* TestClock.adjust("5 seconds")
      expect(ready()).toBe(true)
      yield* TestClock.adjust("1 second")
      expect(ready()).toBe(false)
      delete silent.desk
      yield* TestClock.adjust("1 second")
      silent.revocationsMillis = 10_000
      expect(ready()).toBe(true)
      silent.revocationsMillis = 10_001
      expect(ready()).toBe(false)
      expect(reason()).toBe("Revoked keys and sessions cannot be read.")
      delete silent.revocationsMillis
      silent.market = "AUD-USD"
      yield* TestClock.adjust("5 seconds")
      expect(ready()).toBe(false)
      expect(reason()).toBe("Waiting for market AUD-USD, which has published no row in the last 5 s.")
    })
)

it.live("responds to health checks on every listener, and to other requests on a socket listener with 426", () =>
  Effect.gen(function* () {
    const { adminUrl, restUrl } = yield* RestClient
    const health = yield* Health
    const { port } = yield* Socket.listen({
      what: "a socket",
      host: "127.0.0.1",
      port: 0,
      budget: SocketBudget.make({ limits: false, nowMillis: () => 0 }).trade,
      restUrl,
      addressOf: () => "",
      accept: () => ({ text: () => {}, closed: () => {} }),
      answer: health.answer(restUrl)
    })
    const socketUrl = `http://127.0.0.1:${port}`
    const { url: authUrl } = yield* AuthServer.open({
      host: "127.0.0.1",
      port: 0,
      brand: "svc",
      issuer: "https://auth.venue.test/auth/v1",
      consentOrigin: "https://auth.venue.test",
      clientKeys: [],
      captcha: "never",
      limits: false,
      trustedProxies: [],
      allowPublicFormRefresh: false
    }).pipe(Effect.provide(Captcha.layerLocal("solved")))
    for (const url of [restUrl, adminUrl, authUrl, socketUrl]) {
      expect(yield* call(`${url}/health/live`)).toMatchObject({ status: 200, body: { status: "live", release } })
      const ready = yield* Effect.repeat(call(`${url}/health/ready`), {
        until: ({ status }) => status === 200,
        schedule: Schedule.spaced("20 millis")
      })
      expect(ready).toMatchObject({ status: 200, body: { status: "ready", release } })
    }
    const other = yield* call(`${socketUrl}/refdata`)
    expect([other.status, other.headers.get("upgrade")]).toEqual([426, "websocket"])
    expect(other.body.detail).toContain("WebSocket")
  }).pipe(Effect.provide(layer))
)
