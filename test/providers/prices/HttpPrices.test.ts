/** Tests of the HTTP price source against good and faulty servers. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as HttpPrices from "@venue/providers/prices/HttpPrices"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { IncomingMessage, ServerResponse } from "node:http"
import * as PriceServer from "./PriceServer.ts"

const good = JSON.stringify([{ s: "AAPL", p: 200 }])

/** Returns a queue of the prices that a source publishes when it polls every 20 ms. */
const told = Effect.fnUntraced(function* (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  time: { readonly time?: string } = {},
  authorization = "Bearer mine"
) {
  const prices = yield* Queue.unbounded<number>()
  const client = yield* Layer.build(NodeHttpClient.layerUndici)
  const source = yield* HttpPrices.make({
    name: "vendor",
    url: `${yield* PriceServer.http(answer)}?key=mine`,
    headers: { authorization: Redacted.make(authorization) },
    everyMillis: 20,
    fields: { contract: "s", price: "p", ...time },
    symbols: new Map([[MarketSymbol.make("AAPL-USD"), { spot: "AAPL" }]])
  }).pipe(Effect.provide(client))
  yield* Effect.forkScoped(
    source.run({ inForce: () => undefined, tell: ({ priceE8 }) => void Queue.offerUnsafe(prices, priceE8) })
  )
  return prices
})

it.live("polls repeatedly with the configured headers", () =>
  Effect.gen(function* () {
    const headers: Array<string | undefined> = []
    const prices = yield* told((request, response) => {
      headers.push(request.headers.authorization)
      response.end(good)
    })
    for (let count = 0; count < 3; count++) assert.strictEqual(yield* Queue.take(prices), 200e8)
    assert.strictEqual(headers[0], "Bearer mine")
  })
)

it.live(
  "I29: publishes nothing from refusals, invalid responses, cut connections or prices of 0 or less, and continues to poll",
  () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<(response: ServerResponse) => void> = [
        (response) => response.writeHead(500).end(good),
        (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
        (response) => response.end("<html>"),
        (response) => response.end('[{"s":"AAPL","p":NaN}]'),
        (response) => response.end('[{"s":"AAPL","p":-200},{"s":"AAPL","p":0},{"s":"AAPL","p":null}]'),
        (response) => response.destroy(),
        (response) => {
          response.writeHead(200, { "content-length": "1000" })
          response.write("[")
          response.destroy()
        },
        (response) => response.end(`${" ".repeat(2_000_000)}${good}`),
        (response) => response.end("")
      ]
      let asked = 0
      const prices = yield* told((_request, response) => (answers[asked++] ?? ((last) => last.end(good)))(response))
      assert.strictEqual(yield* Queue.take(prices), 200e8)
      assert.isAbove(asked, answers.length)
      assert.strictEqual((yield* Queue.clear(prices)).filter((price) => price !== 200e8).length, 0)
    })
)

it.live("logs the start and the end of a failure once, with the cause but without URL and headers", () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
  return Effect.gen(function* () {
    const answers: ReadonlyArray<(response: ServerResponse) => void> = [
      (response) => response.writeHead(500).end(),
      (response) => response.writeHead(500).end(),
      (response) => response.end(good),
      (response) => response.destroy(),
      (response) => response.end(good),
      (response) => response.end("<html>")
    ]
    let asked = 0
    const prices = yield* told((_request, response) => (answers[asked++] ?? ((last) => last.end(good)))(response))
    for (let count = 0; count < 3; count++) yield* Queue.take(prices)
    yield* Effect.repeat(Effect.sleep("5 millis"), { until: () => lines.length === 6 })
    assert.deepStrictEqual(
      [lines[0], lines[4]],
      [
        "price source vendor fails: the server returned status 500",
        "price source vendor fails: the response has no price"
      ]
    )
    assert.match(lines[2]!, /^price source vendor fails: .*other side closed/)
    for (const at of [1, 3, 5]) assert.strictEqual(lines[at], "price source vendor works again")
    assert.notInclude(lines.join(), "mine")
  }).pipe(Effect.provide(Logger.layer([logger])))
})

it.effect("gives up on a silent server after five seconds and polls it again", () =>
  Effect.gen(function* () {
    let asked = 0
    const prices = yield* told((_request, response) => {
      if (asked++ > 0) response.end(good)
    })
    yield* PriceServer.pass("10 millis", () => asked === 1)
    yield* TestClock.adjust("4900 millis")
    assert.strictEqual(asked, 1)
    yield* PriceServer.pass("50 millis", () => Queue.sizeUnsafe(prices) > 0)
    assert.strictEqual(yield* Queue.take(prices), 200e8)
  })
)

const logging = (lines: Array<string>) =>
  Logger.layer([Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))])

it.live("includes a server's refusal in the alarm, without the configured secrets", () => {
  const lines: Array<string> = []
  return Effect.gen(function* () {
    let asked = 0
    const prices = yield* told((_request, response) =>
      asked++ > 0
        ? response.end(good)
        : response.writeHead(403).end(JSON.stringify({ error: { message: "Bearer mine is out of its plan" } }))
    )
    yield* Queue.take(prices)
    assert.strictEqual(lines[0], "price source vendor fails: the server returned status 403: … is out of its plan")
  }).pipe(Effect.provide(logging(lines)))
})

it.live("if a refusal repeats the Bearer key, logs the refusal on one line and without the key", () => {
  const lines: Array<string> = []
  const key = "canary-of-a-header"
  return Effect.gen(function* () {
    let asked = 0
    const prices = yield* told(
      (_request, response) =>
        asked++ > 0
          ? response.end(good)
          : response.writeHead(401).end(JSON.stringify({ message: `Invalid API key ${key}\r\nfake line\u001b[2J` })),
      {},
      `Bearer ${key}`
    )
    yield* Queue.take(prices)
    assert.strictEqual(
      lines[0],
      "price source vendor fails: the server returned status 401: Invalid API key … fake line [2J"
    )
  }).pipe(Effect.provide(logging(lines)))
})

for (const [status, body] of [
  [429, "slow down"],
  [200, JSON.stringify({ code: 429, message: "Too many requests" })]
] as const)
  it.effect(`polls less and less often while the server limits the rate: ${status}`, () =>
    Effect.gen(function* () {
      let asked = 0
      yield* told((_request, response) => {
        asked++
        response.writeHead(status).end(body)
      })
      yield* PriceServer.pass("20 millis", () => asked === 1)
      for (let step = 0; step < 100; step++) yield* PriceServer.pass("20 millis", () => true)
      assert.isBelow(asked, 10)
    })
  )

it.live("reports a quote that is hours old as a failure instead of publishing it", () => {
  const lines: Array<string> = []
  return Effect.gen(function* () {
    let asked = 0
    const prices = yield* told(
      (_request, response) => {
        const t = asked++ < 3 ? Date.now() - 10_800_000 : Date.now()
        response.end(JSON.stringify([{ s: "AAPL", p: asked, t }]))
      },
      { time: "t" }
    )
    assert.strictEqual(yield* Queue.take(prices), 4e8)
    assert.match(lines[0]!, /price source vendor fails: all quotes are more than 60 s old/)
  }).pipe(Effect.provide(logging(lines)))
})
