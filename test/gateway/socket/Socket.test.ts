/** Tests of a WebSocket listener with misbehaving clients. */
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import type { Transport } from "@venue/gateway/socket/Transport"
import { assert, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { type RawData, WebSocket } from "ws"

const restUrl = "https://rest.venue.test"
const unlimited = () => SocketBudget.make({ limits: false, nowMillis: () => 0 }).trade

/** Echo listener that throws on one special frame. */
const listening = Effect.gen(function* () {
  const received: Array<string> = []
  const { port } = yield* Socket.listen({
    what: "a test",
    host: "127.0.0.1",
    port: 0,
    budget: unlimited(),
    restUrl,
    addressOf: () => "",
    accept: (transport: Transport) => ({
      text: (text) => {
        if (text === "throw") throw new Error("fault")
        received.push(text)
        transport.send(text)
      },
      closed: () => void received.push("closed")
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
  return { connect, received }
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

it.live("closes the connection with code 1003 on a binary frame, and ignores later frames", () =>
  Effect.gen(function* () {
    const { connect, received } = yield* listening
    const client = yield* connect
    client.send(new Uint8Array([1]))
    client.send("after")
    assert.strictEqual(yield* closedWith(client), 1003)
    assert.notInclude(received, "after")
  })
)

it.live("rule 6.11: accepts a frame of 64 KiB, and closes the connection with code 1009 on a longer frame", () =>
  Effect.gen(function* () {
    const { connect } = yield* listening
    const client = yield* connect
    const largest = "x".repeat(64 * 1024)
    assert.strictEqual(yield* echoOf(client, largest), largest)
    client.send(`${largest}x`)
    assert.strictEqual(yield* closedWith(client), 1009)
  })
)

it.live("I50: closes only the connection whose frame causes a defect", () =>
  Effect.gen(function* () {
    const { connect } = yield* listening
    const other = yield* connect
    const client = yield* connect
    client.send("throw")
    assert.strictEqual(yield* closedWith(client), 1011)
    assert.strictEqual(yield* echoOf(other, "still here"), "still here")
  }).pipe(Effect.provide(Logger.layer([])))
)

it.live("sends a pong for a ping", () =>
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

it.live("holds frames that were already read when a pause began, and processes them in order when the pause ends", () =>
  Effect.gen(function* () {
    const received: Array<string> = []
    const gone = yield* Deferred.make<void>()
    let transport: Transport | undefined
    const { port } = yield* Socket.listen({
      what: "a test",
      host: "127.0.0.1",
      port: 0,
      budget: unlimited(),
      restUrl,
      addressOf: () => "",
      accept: (made) => {
        transport = made
        return {
          text: (text) => {
            received.push(text)
            if (received.length % 10 === 0) made.pause()
            made.send(text)
          },
          closed: () => Deferred.doneUnsafe(gone, Effect.void)
        }
      },
      answer: (_, response) => response.end()
    })
    const client = new WebSocket(`ws://127.0.0.1:${port}`)
    const answers: Array<string> = []
    let answered = () => {}
    client.on("message", (data: RawData) => {
      answers.push(String(data))
      answered()
    })
    const answersAre = (count: number) =>
      Effect.callback<void>((resume) => {
        answered = () => void (answers.length >= count && resume(Effect.void))
        answered()
      })
    yield* Effect.callback<void>((resume) => {
      client.on("open", () => resume(Effect.void))
    })

    const sent = Array.from({ length: 35 }, (_, n) => `${n}`)
    for (const text of sent) client.send(text)
    for (const count of [10, 20, 30]) {
      yield* answersAre(count)
      assert.strictEqual(received.length, count)
      transport!.resume()
    }
    yield* answersAre(35)
    assert.deepStrictEqual(received, sent)

    // Frames received before the close are processed, including those delayed by a pause.
    for (const text of sent) client.send(text)
    client.close()
    for (const count of [40, 50, 60, 70]) {
      while (received.length < count) yield* Effect.callback<void>((resume) => void setImmediate(resume, Effect.void))
      transport!.resume()
    }
    yield* Deferred.await(gone)
    assert.deepStrictEqual(received, [...sent, ...sent])
  })
)

it.live("rule 6.11: allows 100 upgrades per minute from each address", () =>
  Effect.gen(function* () {
    const clock = yield* TestClock.make()
    const { port } = yield* Socket.listen({
      what: "a test",
      host: "127.0.0.1",
      port: 0,
      budget: SocketBudget.make({ limits: true, nowMillis: () => clock.currentTimeMillisUnsafe() }).trade,
      restUrl,
      addressOf: ({ headers }) => String(headers["x-from"]),
      accept: () => ({ text: () => {}, closed: () => {} }),
      answer: (_, response) => response.end()
    }).pipe(Effect.provideService(Clock.Clock, clock))
    const upgrade = (from: string) =>
      Effect.callback<string>((resume) => {
        const client = new WebSocket(`ws://127.0.0.1:${port}`, { headers: { "x-from": from } })
        client.on("error", () => {})
        client.on("open", () => {
          client.terminate()
          resume(Effect.succeed("taken"))
        })
        client.on("unexpected-response", (_, { headers, statusCode }) =>
          resume(Effect.succeed(`${statusCode}, in ${headers["retry-after"]}`))
        )
      })
    for (let i = 0; i < 100; i++) assert.strictEqual(yield* upgrade(`2001:db8::${i.toString(16)}`), "taken")
    assert.strictEqual(yield* upgrade("2001:db8::ffff"), "429, in 1")
    assert.strictEqual(yield* upgrade("2001:db8:0:1::1"), "taken")
    assert.strictEqual(yield* upgrade("203.0.113.7"), "taken")
    yield* clock.adjust("1 second")
    assert.strictEqual(yield* upgrade("2001:db8::1"), "taken")
  })
)
