/** Tests of the behaviour that all listeners share. */
import * as HttpListener from "@venue/gateway/http/HttpListener"
import * as Listening from "@venue/gateway/http/Listening"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { TestClock } from "effect/testing"
import type { IncomingMessage } from "node:http"
import { connect, type Socket } from "node:net"
import { call } from "../rest/RestClient.ts"

const place = { what: "a test", host: "127.0.0.1", port: 0 }

it("writes IPv6 addresses in brackets in URLs and errors", () => {
  expect(Listening.urlOf("ws", "::1", 4003)).toBe("ws://[::1]:4003")
  expect(Listening.urlOf("http", "127.0.0.1", 4000)).toBe("http://127.0.0.1:4000")
  for (const host of ["0.0.0.0", "::ffff:0.0.0.0"]) {
    expect(Listening.urlOf("http", host, 4000)).toBe("http://127.0.0.1:4000")
  }
  for (const host of ["::", "::0", "0:0:0:0:0:0:0:0"]) {
    expect(Listening.urlOf("ws", host, 4003)).toBe("ws://[::1]:4003")
  }
  for (const host of ["192.0.2.7", "venue.example"]) {
    expect(Listening.urlOf("http", host, 80)).toBe(`http://${host}:80`)
  }
  const cause = new Error("in use")
  expect(new Listening.ListenFailed({ what: "a test", host: "::1", port: 4003, cause }).message).toBe(
    "a test cannot listen on [::1]:4003: in use"
  )
})

it.live("I50: logs a connection that cannot be accepted, and accepts the next one", () => {
  const logs: Array<string> = []
  return Effect.gen(function* () {
    const { port, server } = yield* Listening.open(place)
    server.on("request", (_, response) => response.end("served"))
    for (const code of ["ENFILE", "EMFILE"]) server.emit("error", Object.assign(new Error(`accept ${code}`), { code }))
    expect((yield* call(`http://127.0.0.1:${port}/`)).text).toBe("served")
    expect(logs.map((line) => /a connection could not be accepted.*accept (\w+)/s.exec(line)?.[1])).toEqual([
      "ENFILE",
      "EMFILE"
    ])
  }).pipe(Effect.provide(Logger.layer([Logger.make((entry) => void logs.push(Logger.formatLogFmt.log(entry)))])))
})

it.live("closes a connection on which the client sends nothing", () =>
  Effect.gen(function* () {
    const { server } = yield* Listening.open(place)
    expect(server).toMatchObject({ requestTimeout: 30_000, headersTimeout: 10_000, connectionsCheckingInterval: 1_000 })
    expect(server).toMatchObject({ keepAliveTimeout: 75_000, maxHeaderSize: 16_384 })
  })
)

/** Connects a client, and waits until the connection is accepted or closed. */
const come = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(port, "127.0.0.1", () => resume(Effect.succeed(socket)))
      socket.on("error", () => {})
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )

const ended = (socket: Socket) =>
  Effect.callback<void>((resume) => {
    if (socket.destroyed) return resume(Effect.void)
    socket.resume().on("close", () => resume(Effect.void))
  })

it.live("closes connections above the maximum number, and continues to serve all other connections", () =>
  Effect.gen(function* () {
    const { port, server } = yield* Listening.open({ ...place, maxConnections: 1 })
    server.on("request", (_, response) => response.end("served"))
    const first = yield* come(port)
    yield* ended(yield* come(port))
    const answer = Effect.callback<string>((resume) => {
      first.on("data", (data) => resume(Effect.succeed(String(data))))
      first.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    })
    expect(yield* answer).toContain("served")
  })
)

it.live("I48: accepts 10,000 connections on an HTTP listener", () =>
  Effect.gen(function* () {
    let most: number | undefined
    const site = {
      layer: HttpRouter.add("GET", "/", HttpServerResponse.text("served")),
      routes: [{ method: "GET", path: "/" }],
      takes: ({ socket }: IncomingMessage) => {
        most = (socket as Socket & { readonly server: { readonly maxConnections: number } }).server.maxConnections
        return false
      }
    }
    const { url } = yield* HttpListener.listen(place, () => site)
    expect((yield* call(url)).text).toBe("served")
    expect(most).toBe(10_000)
  })
)

it.effect(
  "stops accepting connections during shutdown, and completes in-flight requests up to the request deadline",
  () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const received = yield* Deferred.make<void>()
      const word = yield* Deferred.make<string>()
      const { port, url } = yield* HttpListener.listen(place, () => ({
        layer: HttpRouter.add(
          "GET",
          "/",
          Effect.andThen(
            Deferred.succeed(received, undefined),
            Effect.map(Deferred.await(word), HttpServerResponse.text)
          )
        ),
        routes: [{ method: "GET", path: "/" }]
      })).pipe(Scope.provide(scope))
      const idle = yield* come(port)
      const answer = yield* Effect.forkChild(call(url))
      yield* Deferred.await(received)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      // An idle connection is closed at once.
      yield* ended(idle)
      const late = yield* Effect.flip(
        Effect.callback<void, NodeJS.ErrnoException>((resume) => {
          const socket = connect(port, "127.0.0.1", () => resume(Effect.void))
          socket.on("error", (error) => resume(Effect.fail(error)))
        })
      )
      expect(late.code).toBe("ECONNREFUSED")
      yield* TestClock.adjust("14 seconds")
      yield* Deferred.succeed(word, "answered")
      expect((yield* Fiber.join(answer)).text).toBe("answered")
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(closing)
    })
)

it.effect("frees the port when its scope closes, and disconnects open connections after 2 s", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { port } = yield* Scope.provide(Listening.open(place), scope)
    const cutOff = yield* Deferred.make<void>()
    yield* Effect.callback<void>((resume) => {
      const client = connect(port, "127.0.0.1", () => client.write("GET / HTTP/1.1\r\n", () => resume(Effect.void)))
      client.on("error", () => {})
      client.on("close", () => Deferred.doneUnsafe(cutOff, Effect.void))
    })
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(closing)
    yield* Deferred.await(cutOff)
    yield* Listening.open({ ...place, port })
  })
)
