/** Options that the listeners of the dev app pass to the gateway packages. */
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Captcha } from "@venue/providers/Captcha"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Logger } from "effect"
import { WebSocket } from "ws"
import * as Listeners from "../../../apps/process/Listeners.ts"
import { Settings } from "../../../apps/dev/Settings.ts"
import { call, layer } from "../../gateway/rest/RestClient.ts"
import * as Rails from "../../gateway/treasury/Rails.ts"
import { freePorts } from "../../nodes/DevApp.ts"

const settingsWith = (variables: Readonly<Record<string, string>>) =>
  Effect.map(Settings.parse(ConfigProvider.fromUnknown({ VENUE_BRAND: "ACME", ...variables })), (usual): Settings => ({
    ...usual,
    restPort: 0,
    fundingPort: 0,
    authPort: 0,
    tradePort: 0,
    marketDataPort: 0,
    adminPort: 0
  }))
const settings = settingsWith({})

it.live("accepts a builder code in a header with the operator's prefix or, otherwise, with the neutral prefix", () =>
  Effect.gen(function* () {
    const codes: Array<string> = []
    const gateway = TradeGateway.of({
      open: (transport, builderCode) => {
        codes.push(builderCode)
        transport.close(1000, "opened")
        return { text: () => {}, closed: () => {} }
      },
      connections: () => 0,
      drain: Effect.void
    })
    const { trade } = yield* Listeners.open(yield* settings, {
      authClientKeys: ["key"]
    }).pipe(
      Effect.provideService(TradeGateway, gateway),
      Effect.provide([Captcha.layerLocal("solved"), Rails.layerNone])
    )
    const upgrade = (headers: Record<string, string>) =>
      Effect.callback<void>((resume) => {
        new WebSocket(trade, { headers }).on("close", () => resume(Effect.void))
      })
    yield* upgrade({ "X-ACME-Builder-Code": "ours" })
    yield* upgrade({ "x-svc-builder-code": "neutral" })
    yield* upgrade({ "x-svc-builder-code": "neutral", "x-acme-builder-code": "ours" })
    yield* upgrade({})
    assert.deepStrictEqual(codes, ["ours", "neutral", "ours", ""])
  }).pipe(Effect.provide(layer))
)

it.effect("the REST and funding interfaces share one rate-limit bucket per client address", () =>
  Effect.gen(function* () {
    const { funding, rest } = yield* Listeners.open(yield* settings, {
      authClientKeys: ["key"]
    }).pipe(Effect.provide([Captcha.layerLocal("solved"), Rails.layerNone]))
    const left = Effect.fnUntraced(function* (url: string) {
      const { headers, status } = yield* call(`${url}/openapi.json`)
      assert.strictEqual(status, 200)
      return Number(headers.get("ratelimit-remaining"))
    })
    const first = yield* left(rest)
    // No time passes, so the bucket does not refill.
    assert.deepStrictEqual([yield* left(funding), yield* left(rest)], [first - 1, first - 2])
  }).pipe(Effect.provide(layer))
)

it.live("if several client keys are configured, accepts all of them and puts the first one into its pages", () =>
  Effect.gen(function* () {
    const ports = yield* Effect.promise(freePorts)
    const { auth } = yield* Listeners.open(
      { ...(yield* settings), authPort: Number(ports["VENUE_AUTH_PORT"]) },
      { authClientKeys: ["pk_first", "pk_second"] }
    ).pipe(Effect.provide([Captcha.layerLocal("solved"), Rails.layerNone]))
    const { text } = yield* call(`${auth}/sign-in`)
    assert.deepStrictEqual([text.includes("pk_first"), text.includes("pk_second")], [true, false])
    const answered = Effect.fnUntraced(function* (apikey: string) {
      const headers = { apikey, "content-type": "application/json" }
      const body = JSON.stringify({ refresh_token: "none" })
      return (yield* call(`${auth}/auth/v1/token?grant_type=refresh_token`, { method: "POST", headers, body })).status
    })
    assert.deepStrictEqual(yield* Effect.forEach(["pk_first", "pk_second", "pk_third"], answered), [400, 400, 401])
  }).pipe(Effect.provide(layer))
)

it.live("shows the configured CAPTCHA on the sign-in page", () =>
  Effect.gen(function* () {
    const page = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
      const logged: Array<unknown> = []
      const logger = Logger.make(({ logLevel, message }) => {
        if (logLevel === "Warn") logged.push(...[message].flat())
      })
      const ports = yield* Effect.promise(freePorts)
      const { auth } = yield* Listeners.open(
        { ...(yield* settingsWith(variables)), authPort: Number(ports["VENUE_AUTH_PORT"]) },
        { authClientKeys: ["key"] }
      ).pipe(Effect.provide([Captcha.layerLocal("solved"), Rails.layerNone, Logger.layer([logger])]))
      const { text } = yield* call(`${auth}/sign-in`)
      const shown = Object.fromEntries(
        [...text.matchAll(/data-captcha-(\S+)="([^"]*)"/g)].map(([, name, value]) => [name, value])
      )
      return { ...shown, warned: logged.filter((words) => String(words).includes("VENUE_CAPTCHA_SITE_KEY")).length }
    }, Effect.scoped)
    const none = { script: "", global: "", "site-key": "", "at-once": "false" }
    assert.deepStrictEqual(yield* page({ VENUE_CAPTCHA_SITE_KEY: "k" }), { ...none, warned: 0 })
    assert.deepStrictEqual(yield* page({ VENUE_CAPTCHA: "always" }), { ...none, warned: 1 })
    assert.deepStrictEqual(yield* page({ VENUE_CAPTCHA: "risk", VENUE_CAPTCHA_SITE_KEY: "k" }), {
      script: "https://challenges.cloudflare.com/turnstile/v0/api.js",
      global: "turnstile",
      "site-key": "k",
      "at-once": "false",
      warned: 0
    })
    const hcaptcha = { VENUE_CAPTCHA: "always", VENUE_CAPTCHA_SITE_KEY: "k", VENUE_CAPTCHA_PROVIDER: "hcaptcha" }
    assert.deepStrictEqual(yield* page(hcaptcha), {
      script: "https://js.hcaptcha.com/1/api.js",
      global: "hcaptcha",
      "site-key": "k",
      "at-once": "true",
      warned: 0
    })
  }).pipe(Effect.provide(layer))
)

it.live("returns the configured public socket URLs, or loopback URLs if none are configured", () =>
  Effect.gen(function* () {
    const opened = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
      return yield* Listeners.open(yield* settingsWith(variables), {
        authClientKeys: ["key"]
      }).pipe(Effect.provide([Captcha.layerLocal("solved"), Rails.layerNone]), Effect.scoped)
    })
    const bound = yield* opened({ VENUE_HOST: "0.0.0.0" })
    for (const url of Object.values(bound)) assert.strictEqual(new URL(url).hostname, "127.0.0.1")
    const urls = yield* opened({
      VENUE_HOST: "0.0.0.0",
      VENUE_PUBLIC_REST_URL: "https://api.venue.example",
      VENUE_PUBLIC_TRADE_URL: "wss://trade.venue.example",
      VENUE_PUBLIC_MARKET_DATA_URL: "wss://data.venue.example/v1"
    })
    assert.deepStrictEqual(
      [urls.rest, urls.trade, urls.market_data],
      ["https://api.venue.example", "wss://trade.venue.example", "wss://data.venue.example/v1"]
    )
  }).pipe(Effect.provide(layer))
)
