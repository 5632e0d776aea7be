/** Tests of the WebSocket price source against good and faulty servers. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as WebSocketPrices from "@venue/providers/prices/WebSocketPrices"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import type { IncomingMessage } from "node:http"
import type { WebSocket } from "ws"
import * as PriceServer from "./PriceServer.ts"

const good = JSON.stringify({ s: "AAPL", p: "200" })

const told = Effect.fnUntraced(function* (
  accept: (socket: WebSocket, request: IncomingMessage) => void,
  time: { readonly time?: string } = {}
) {
  const prices = yield* Queue.unbounded<number>()
  const source = WebSocketPrices.make({
    name: "vendor",
    url: yield* PriceServer.webSocket(accept),
    headers: { "x-key": Redacted.make("mine") },
    greeting: ['{"subscribe":"AAPL"}'],
    silenceMillis: 10_000,
    fields: { contract: "s", price: "p", ...time },
    symbols: new Map([[MarketSymbol.make("AAPL-USD"), { spot: "AAPL" }]])
  })
  yield* Effect.forkScoped(
    source.run({ inForce: () => undefined, tell: ({ priceE8 }) => void Queue.offerUnsafe(prices, priceE8) })
  )
  return prices
})

it.live("connects with the configured headers, sends the configured greeting, and publishes received prices", () =>
  Effect.gen(function* () {
    const heard: Array<unknown> = []
    const prices = yield* told((socket, request) => {
      heard.push(request.headers["x-key"])
      socket.on("message", (text) => {
        heard.push(text.toString())
        socket.send(good)
      })
    })
    assert.strictEqual(yield* Queue.take(prices), 200e8)
    assert.deepStrictEqual(heard, ["mine", '{"subscribe":"AAPL"}'])
  })
)

it.live("I29: skips unreadable frames and prices of zero or less", () =>
  Effect.gen(function* () {
    const prices = yield* told((socket) => {
      for (const text of ["", "{", '{"s":"AAPL","p":NaN}', '{"s":"AAPL","p":-1}', '{"s":"AAPL","p":0}', "[]", "null"])
        socket.send(text)
      socket.send(Buffer.from([0xff, 0xfe, 0]))
      socket.send(good)
    })
    assert.strictEqual(yield* Queue.take(prices), 200e8)
  })
)

it.effect("reconnects to a server that closes, crashes or is silent", () =>
  Effect.gen(function* () {
    let connections = 0
    const prices = yield* told((socket) => {
      connections++
      if (connections === 1) return socket.close(1011, "restarting")
      if (connections === 2) return socket.terminate()
      if (connections === 3) return undefined
      socket.send(good)
    })
    yield* PriceServer.pass("100 millis", () => Queue.sizeUnsafe(prices) > 0)
    assert.strictEqual(yield* Queue.take(prices), 200e8)
    assert.strictEqual(connections, 4)
  })
)

it.effect("reconnects after a frame above the size limit closed the connection", () =>
  Effect.gen(function* () {
    let connections = 0
    const prices = yield* told((socket) => {
      connections++
      socket.send(connections === 1 ? " ".repeat(2_000_000) : good)
    })
    yield* PriceServer.pass("100 millis", () => Queue.sizeUnsafe(prices) > 0)
    assert.strictEqual(yield* Queue.take(prices), 200e8)
    assert.strictEqual(connections, 2)
  })
)

it.effect("closes a connection as silent if its heartbeats only repeat an old quote", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 20, 15, 30))
    let connections = 0
    const now = yield* Clock.Clock
    const prices = yield* told(
      (socket) => {
        connections++
        const t = connections === 1 ? now.currentTimeMillisUnsafe() - 61_000 : now.currentTimeMillisUnsafe()
        socket.send(JSON.stringify({ s: "AAPL", p: connections, t }))
      },
      { time: "t" }
    )
    yield* PriceServer.pass("500 millis", () => Queue.sizeUnsafe(prices) > 0)
    assert.strictEqual(yield* Queue.take(prices), 2e8)
  })
)
