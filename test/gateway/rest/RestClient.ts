/** Venue in memory with open REST and operator listeners, and a client that calls them over real sockets. */
import { expect } from "vitest"
import { lackOf } from "./contract/RefusalText.ts"
import { Hmac } from "@venue/auth/access/Hmac"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Unavailable } from "@venue/cluster/protocol/Market"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { History } from "@venue/gateway/History"
import { Health } from "@venue/gateway/http/Health"
import * as RestServer from "@venue/gateway/rest/RestServer"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { layerMemory, type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { Context, Effect, Layer, Redacted } from "effect"
import { connect } from "node:net"

/** URLs at which nothing listens. */
export const sockets = { trade: "wss://trade.venue.test", marketData: "wss://market-data.venue.test" }

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Parsed body if the response is JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export class RestClient extends Context.Service<
  RestClient,
  {
    readonly restUrl: string
    readonly adminUrl: string
    readonly get: (path: string, headers?: Record<string, string>) => Effect.Effect<Answer>
    readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Effect.Effect<Answer>
    readonly admin: (method: string, path: string, body?: unknown, token?: string) => Effect.Effect<Answer>
    readonly signed: (user: TestUser) => Effect.Effect<Record<string, string>>
  }
>()("test/gateway/RestClient") {}

/** Asserts that an error response of the operator interface states the fix and, if a limit applies, the limit. */
const withFix = (answer: Answer) =>
  Effect.sync(() => {
    if (answer.status >= 400) expect([answer.text, lackOf(answer)]).toEqual([answer.text, undefined])
  })

export const adminToken = "operator-token-of-this-test"

export const call = (url: string, init: RequestInit = {}): Effect.Effect<Answer> =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    const text = await response.text()
    const isJson = /json/.test(response.headers.get("content-type") ?? "") && text !== ""
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined }
  })

/** Sends a string body unchanged, and any other body as JSON. */
const request = (method: string, headers: Record<string, string>, body?: unknown): RequestInit => ({
  method,
  headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
})

/** Sends bytes and returns everything received before the connection closed. */
export const raw = (url: string, bytes: string | Uint8Array): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    let text = ""
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1")
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(text)))
  })

export const ask = Effect.fnUntraced(function* (
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown
) {
  const { restUrl } = yield* RestClient
  return yield* call(`${restUrl}${path}`, request(method, headers, body))
})

/** Returns the request functions of a client for this URL. */
export const callsTo = (restUrl: string): Pick<RestClient["Service"], "restUrl" | "get" | "post"> => ({
  restUrl,
  get: (path, headers = {}) => call(`${restUrl}${path}`, { headers }),
  post: (path, body, headers = {}) => call(`${restUrl}${path}`, request("POST", headers, body))
})

const make = Effect.gen(function* () {
  const venue = yield* TestVenue
  const { url: restUrl } = yield* RestServer.open({ host: "127.0.0.1", port: 0, brand: "acme", sockets })
  const { url: adminUrl } = yield* AdminServer.open({
    port: 0,
    token: () => Redacted.make(adminToken)
  })
  return RestClient.of({
    ...callsTo(restUrl),
    adminUrl,
    admin: (method, path, body, token = adminToken) =>
      Effect.tap(call(`${adminUrl}${path}`, request(method, { authorization: `Bearer ${token}` }, body)), withFix),
    signed: (user) =>
      Effect.map(venue.sign(user), (hmac) => ({
        "x-svc-public-key": String(hmac["public_key"]),
        "x-svc-nonce": String(hmac["nonce"]),
        "x-svc-timestamp": String(hmac["unix_ts"]),
        "x-svc-hmac-signature": String(hmac["signature"])
      }))
  })
})

/** The client on a venue that already exists. */
export const layerOver = Layer.effect(RestClient, make).pipe(Layer.provideMerge(Health.layer))

export const layer = layerOver.pipe(Layer.provideMerge(layerMemory))

/** The client without health checks, so that hours on the test clock pass quickly. */
export const layerQuiet = Layer.effect(RestClient, make).pipe(
  Layer.provideMerge(
    Layer.succeed(Health)({ ready: () => true, reason: () => undefined, stop: Effect.void, answer: () => () => {} })
  ),
  Layer.provideMerge(layerMemory)
)

/** The client with a History that the test supplies. */
export const layerReading = (history: History["Service"]) =>
  Layer.effect(RestClient, make).pipe(
    Layer.provide(Layer.succeed(History, history)),
    Layer.provideMerge(Health.layer),
    Layer.provideMerge(layerMemory)
  )

/** The client with listeners that reach no desk and, if `gone`, no database. */
export const layerCutOff = (database: "there" | "gone") =>
  Layer.effect(RestClient, make).pipe(
    Layer.provide(
      Layer.effect(
        Hmac,
        Effect.map(Hmac, (hmac) =>
          database === "there"
            ? hmac
            : Hmac.of({ ...hmac, verify: () => Effect.fail(new DatabaseUnavailable({ cause: "a test" })) })
        )
      )
    ),
    Layer.provide(
      Layer.effect(
        DeskClient,
        Effect.map(DeskClient, (desks) =>
          DeskClient.of({
            ...desks,
            ask: () => Effect.fail(new Unavailable({ what: "a test" })),
            balances: () => Effect.fail(new Unavailable({ what: "a test" })),
            summary: () => Effect.fail(new Unavailable({ what: "a test" })),
            watermarks: () => Effect.fail(new Unavailable({ what: "a test" })),
            journalHead: () => Effect.fail(new Unavailable({ what: "a test" })),
            feeTier: () => Effect.fail(new Unavailable({ what: "a test" }))
          })
        )
      )
    ),
    Layer.provideMerge(Health.layer),
    Layer.provideMerge(layerMemory)
  )
