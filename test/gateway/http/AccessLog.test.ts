/** Tests of the access log. */
import * as RestServer from "@venue/gateway/rest/RestServer"
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { call, layer, RestClient, sockets } from "../rest/RestClient.ts"

/** Collects the log lines that an effect writes at any level. */
const logged = <A, E, R>(self: Effect.Effect<A, E, R>) => {
  const lines: Array<string> = []
  const logger = Logger.make((entry) => void lines.push(Logger.formatLogFmt.log(entry)))
  return Effect.as(self, lines).pipe(Effect.provide(Logger.layer([logger])))
}

const opened = (accessLog: boolean) =>
  Effect.map(RestServer.open({ host: "127.0.0.1", port: 0, brand: "acme", sockets, accessLog }), ({ url }) => url)

it.live("logs only the route, status, duration, user and id of each request", () =>
  Effect.gen(function* () {
    const { signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("logged")
    const credentials = yield* signed(user)
    const ids: Array<string | null> = []
    const lines = yield* logged(
      Effect.gen(function* () {
        const url = yield* opened(true)
        for (const [path, init] of [
          ["/user/trade?symbol=SECRET-IN-QUERY", { headers: credentials }],
          ["/user/api-keys/SECRET-IN-PATH", { method: "DELETE" }],
          ["/SECRET-THAT-IS-NOWHERE", {}],
          [
            "/user/leverage",
            { method: "POST", body: '"SECRET-IN-BODY"', headers: { "content-type": "application/json" } }
          ]
        ] as const) {
          ids.push((yield* call(`${url}${path}`, init)).headers.get("x-request-id"))
        }
      })
    )
    const requestLines = lines.filter((line) => line.includes("message=request"))
    expect(requestLines.map((line) => /method=.*/.exec(line)![0].replace(/millis=\d+/, "millis="))).toEqual([
      `method=GET route=/user/trade status=400 millis= userId=${user.userId} requestId=${ids[0]}`,
      `method=DELETE route=/user/api-keys/:public_key status=401 millis= requestId=${ids[1]}`,
      `method=GET status=404 millis= requestId=${ids[2]}`,
      `method=POST route=/user/leverage status=401 millis= requestId=${ids[3]}`
    ])
    expect(lines.join()).not.toContain("SECRET")
    for (const secret of Object.values(credentials)) expect(lines.join()).not.toContain(secret)
  }).pipe(Effect.provide(layer))
)

it.live("logs no successful request if the access log is disabled", () =>
  Effect.gen(function* () {
    const lines = yield* logged(Effect.flatMap(opened(false), (url) => call(`${url}/refdata`)))
    expect(lines).toEqual([])
  }).pipe(Effect.provide(layer))
)
