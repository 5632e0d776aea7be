/** Tests of the market-data client, against a stub venue that numbers frames as the test requires. */
import * as MarketDataClient from "@venue/client/MarketDataClient"
import { assert, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import type { AddressInfo } from "node:net"
import { WebSocketServer } from "ws"

/** Sends frames with these numbers on the first connection, and frame 1 on later ones. */
const venue = Effect.fnUntraced(function* (sequences: ReadonlyArray<number>) {
  const requests: Array<unknown> = []
  const closes = yield* Queue.unbounded<number>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocketServer({ port: 0, host: "127.0.0.1" })),
    (server) =>
      Effect.callback<void>((resume) => {
        for (const socket of server.clients) socket.terminate()
        server.close(() => resume(Effect.void))
      })
  )
  server.on("connection", (socket) => {
    const numbers = requests.length === 0 ? sequences : [1]
    socket.on("close", (code) => Queue.offerUnsafe(closes, code))
    socket.on("message", (data) => {
      requests.push(JSON.parse(data.toString()))
      socket.send(JSON.stringify({ type: "subscribed", channels: ["mark_price"], symbols: ["AAPL-USD"] }))
      for (const sequence of numbers) socket.send(mark(sequence))
    })
  })
  yield* Effect.callback<void>((resume) => {
    server.once("listening", () => resume(Effect.void))
  })
  return { requests, closes, url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

const mark = (sequence: number): string =>
  JSON.stringify({ type: "mark_price", sequence, time: "2026-11-20T15:00:00.000Z", symbol: "AAPL-USD", price: "200" })

const connect = (url: string) =>
  MarketDataClient.make({
    url,
    channels: ["mark_price"],
    symbols: ["AAPL-USD"],
    backoff: { firstMillis: 10, maxMillis: 40 }
  })

const summary = (event: MarketDataClient.MarketDataEvent): unknown => {
  if (event._tag === "Disconnected") return event.reason
  return event._tag === "Received" && "sequence" in event.frame ? event.frame.sequence : event._tag
}

const take = (client: MarketDataClient.MarketDataClient, count: number) =>
  Effect.map(Queue.takeN(client.events, count), (events) => events.map(summary))

it.live("reconnects and subscribes again after a missing frame", () =>
  Effect.gen(function* () {
    const { requests, url } = yield* venue([1, 2, 4, 5])
    const client = yield* connect(url)
    assert.deepEqual(yield* take(client, 6), ["Connected", 1, 2, "expected frame 3, received frame 4", "Connected", 1])
    const request = { type: "subscribe", channels: ["mark_price"], symbols: ["AAPL-USD"] }
    assert.deepEqual(requests, [request, request])
  }).pipe(Effect.scoped)
)

it.live("closes the socket and stays closed when the scope ends", () =>
  Effect.gen(function* () {
    const { closes, requests, url } = yield* venue([1])
    yield* Effect.scoped(Effect.flatMap(connect(url), (client) => take(client, 2)))
    assert.strictEqual(yield* Queue.take(closes), 1000)
    assert.lengthOf(requests, 1)
  }).pipe(Effect.scoped)
)
