/** Tests of malformed requests over real sockets. */
import { TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { layer, raw, RestClient } from "./RestClient.ts"

it.live(
  "I50: never returns a server error, whatever bytes a client sends",
  () =>
    Effect.gen(function* () {
      const { restUrl, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("fuzzer")
      const paths = [
        "/",
        "//",
        "*",
        "/%",
        "/%zz",
        "/%ff%00",
        "/refdata?%",
        "/refdata?ticker=%00&ticker=b",
        "/user/trade?limit=1e400&limit=x&start=%ff",
        "/schemas/%2e%2e%2f",
        "/problems/..",
        `/${"a".repeat(9_000)}`,
        "http://x/refdata",
        "/refdata#x",
        "/refdata/",
        "/user/positions?__proto__=1",
        "\\\\",
        "?",
        "/user/leverage;x"
      ]
      const bodies = [
        "",
        "null",
        "[]",
        "{",
        "\u0000",
        '"',
        "[".repeat(60_000),
        '{"__proto__":{}}',
        '{"leverage":1e999,"symbol":""}',
        '{"leverage":1,"symbol":"\\u0000\\ud800"}',
        '{"leverage":-0,"symbol":{}}',
        "\u00ff\u00fe"
      ]
      const json = (body: string, more = "") =>
        `POST /user/leverage HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n${more}` +
        `Content-Length: ${Buffer.byteLength(body, "latin1")}\r\n\r\n${body}`
      const lines = (headers: Record<string, string>) =>
        Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join("")
      const requests = [
        ...["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PROPFIND", "TRACE"].flatMap((method) =>
          paths.map((path) => `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        ),
        ...bodies.map((body) => json(body)),
        ...(yield* Effect.forEach(bodies, (body) => Effect.map(signed(user), (headers) => json(body, lines(headers))))),
        "",
        "\r\n\r\n",
        "\u0000\u0001\u0002",
        "GET",
        "GET / HTTP/9.9\r\n\r\n",
        "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /refdata HTTP/1.1\r\n\r\n",
        `GET /refdata HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
        "GET /refdata HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "GET /refdata HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n",
        "POST /user/leverage HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /user/leverage HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /user/leverage HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        "POST /user/leverage HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        `POST /user/leverage HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n${lines(
          yield* signed(user)
        )}Transfer-Encoding: chunked\r\n\r\n${`1000\r\n${" ".repeat(4096)}\r\n`.repeat(20)}0\r\n\r\n`
      ]
      const answers = yield* Effect.forEach(
        requests,
        (bytes) =>
          Effect.map(raw(restUrl, Buffer.from(bytes, "latin1")), (text) => [bytes.slice(0, 80), text] as const),
        { concurrency: 8 }
      )
      const statuses = answers.map(([bytes, text]) => [bytes, /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? "closed"] as const)
      expect(statuses.filter(([, status]) => status.startsWith("5"))).toEqual([])
      expect(statuses.at(-1)![1]).toBe("413")
      expect(statuses.filter(([, status]) => status.startsWith("4")).length).toBeGreaterThan(100)
    }).pipe(Effect.provide(layer)),
  900_000
)

it.live("I50: refuses a URL above 8 KiB, and headers above 16 KiB including the URL", () =>
  Effect.gen(function* () {
    const { restUrl } = yield* RestClient
    const answerTo = (path: string, header = "") =>
      Effect.map(
        raw(restUrl, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX: ${header}\r\n\r\n`),
        (text) => {
          const [head = "", body = "{}"] = text.split("\r\n\r\n")
          return [Number(head.split(" ")[1]), JSON.parse(body).detail]
        }
      )
    const long = "/refdata?ticker="
    const detail = "The request target exceeds the limit of 8 KiB; shorten the URL."
    expect((yield* answerTo(long.padEnd(8_192, "a")))[0]).toBe(200)
    expect(yield* answerTo(long.padEnd(8_193, "a"))).toEqual([414, detail])
    const both = "The request line and headers together exceed the limit of 16 KiB; send fewer or shorter headers."
    expect(yield* answerTo(long.padEnd(8_192, "a"), "y".repeat(8_192))).toEqual([431, both])
    expect(yield* answerTo(long.padEnd(20_000, "a"))).toEqual([431, both])
  }).pipe(Effect.provide(layer))
)

it.live("I50: refuses a request without Host or with an unknown expectation in the usual error format", () =>
  Effect.gen(function* () {
    const { adminUrl, restUrl } = yield* RestClient
    for (const url of [restUrl, adminUrl]) {
      for (const [status, title, headers] of [
        [400, "Bad Request", ""],
        [417, "Expectation Failed", "Host: x\r\nExpect: nonsense\r\n"]
      ] as const) {
        const text = yield* raw(url, `GET /openapi.json HTTP/1.1\r\n${headers}\r\n`)
        const [head = "", body = ""] = text.split("\r\n\r\n")
        expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
        expect(head.toLowerCase()).toContain("\r\ncontent-type: application/problem+json")
        expect(JSON.parse(body)).toMatchObject({ status, title })
      }
    }
    expect(yield* raw(restUrl, "GET /openapi.json HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 /)
  }).pipe(Effect.provide(layer))
)
