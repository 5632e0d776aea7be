/** A WebSocket listener and clients that behave badly. */
import * as Socket from "@venue/gateway/Socket"
import type { Transport } from "@venue/gateway/Transport"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { type RawData, WebSocket } from "ws"

/** Echoes; a frame that says so throws. */
const listening = Effect.gen(function* () {
  const heard: Array<string> = []
  const { port } = yield* Socket.listen({
    what: "a test",
    host: "127.0.0.1",
    port: 0,
    limits: false,
    accept: (transport: Transport) => ({
      text: (text) => {
        if (text === "throw") throw new Error("fault")
        heard.push(text)
        transport.send(text)
      },
      closed: () => void heard.push("closed")
    }),
    answer: (_, response) => response.end()
  })
  const connect = Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const client = new WebSocket(`ws://127.0.0.1:${port}`)
      client.on("open", () => resume(Effect.succeed(client)))
    }),
    (client) => Effect.sync(() => client.terminate())
  )
  return { connect, heard }
})

const closedWith = (client: WebSocket) =>
  Effect.callback<number>((resume) => {
    client.on("close", (code) => resume(Effect.succeed(code)))
  })
const echoOf = (client: WebSocket, text: string) =>
  Effect.callback<string>((resume) => {
    client.once("message", (data: RawData) => resume(Effect.succeed(String(data))))
    client.send(text)
  })

it.live("a binary frame ends the connection with 1003, and nothing that follows it is taken", () =>
  Effect.gen(function* () {
    const { connect, heard } = yield* listening
    const client = yield* connect
    client.send(new Uint8Array([1]))
    client.send("after")
    assert.strictEqual(yield* closedWith(client), 1003)
    assert.notInclude(heard, "after")
  })
)

it.live("2.6: a frame of more than 64 KiB ends the connection with 1009, one of 64 KiB does not", () =>
  Effect.gen(function* () {
    const { connect } = yield* listening
    const client = yield* connect
    const largest = "x".repeat(64 * 1024)
    assert.strictEqual(yield* echoOf(client, largest), largest)
    client.send(`${largest}x`)
    assert.strictEqual(yield* closedWith(client), 1009)
  })
)

it.live("I50: a fault at one client's frame costs that client its connection, and nobody else anything", () =>
  Effect.gen(function* () {
    const { connect } = yield* listening
    const other = yield* connect
    const client = yield* connect
    client.send("throw")
    assert.strictEqual(yield* closedWith(client), 1011)
    assert.strictEqual(yield* echoOf(other, "still here"), "still here")
  }).pipe(Effect.provide(Logger.layer([])))
)

it.live("a ping is answered", () =>
  Effect.gen(function* () {
    const { connect } = yield* listening
    const client = yield* connect
    const pong = yield* Effect.callback<string>((resume) => {
      client.once("pong", (data) => resume(Effect.succeed(String(data))))
      client.ping("beat")
    })
    assert.strictEqual(pong, "beat")
  })
)
