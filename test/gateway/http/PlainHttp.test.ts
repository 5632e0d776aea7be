/** Tests of requests that every listener refuses, because they name two hosts or never end. */
import * as AuthServer from "@venue/gateway/auth/AuthServer"
import * as HttpListener from "@venue/gateway/http/HttpListener"
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import { Captcha } from "@venue/providers/Captcha"
import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { connect, type Socket as Connection } from "node:net"
import { layer, raw, RestClient } from "../rest/RestClient.ts"

const host = "127.0.0.1"
const timeouts = { headersMillis: 100, requestMillis: 200, checkMillis: 20 }

/** Server that returns each request body. */
const echo = HttpListener.listen({ what: "an echo", host, port: 0, timeouts }, () => ({
  layer: HttpRouter.add(
    "POST",
    "/echo",
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
      Effect.map(Effect.orDie(request.text), (body) => HttpServerResponse.text(body))
    )
  ),
  routes: [{ method: "POST", path: "/echo" }]
}))

const socketAt = (more: { readonly timeouts?: typeof timeouts } = {}) =>
  Socket.listen({
    what: "a socket",
    host,
    port: 0,
    budget: SocketBudget.make({ limits: false, nowMillis: () => 0 }).trade,
    addressOf: () => "",
    accept: () => ({ text: () => {}, closed: () => {} }),
    answer: (request, response) => request.on("end", () => response.end("answered")).resume(),
    restUrl: "http://venue.test",
    ...more
  })

/** Sends the same bytes repeatedly, and returns everything received before the connection closes. */
const dripped = (port: number, head: string, drop: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      let text = ""
      const closed = yield* Deferred.make<void>()
      const client = yield* Effect.acquireRelease(
        Effect.sync(() => connect(port, host)),
        (socket) => Effect.sync(() => socket.destroy())
      )
      client.on("data", (chunk) => void (text += String(chunk)))
      client.on("error", () => {})
      client.on("close", () => Deferred.doneUnsafe(closed, Effect.void))
      client.write(head)
      yield* Effect.forkScoped(
        Effect.repeat(
          Effect.sync(() => client.write(drop)),
          Schedule.spaced("10 millis")
        )
      )
      yield* Deferred.await(closed)
      return text
    })
  )

const problemOf = (text: string) => {
  const [head = "", body = "{}"] = text.split("\r\n\r\n")
  return { type: /^content-type: (.*)$/im.exec(head)?.[1], ...JSON.parse(body) }
}

const json = "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"

it.live(
  "I48: disconnects clients with endless headers or bodies at the time limit on every listener",
  () =>
    Effect.gen(function* () {
      const ports = [(yield* echo).port, (yield* socketAt({ timeouts })).port]
      for (const port of ports) {
        for (const [head, drop] of [
          ["", "\r\n"],
          ["GET / HTTP/1.1\r\nHost: x\r\n", "X: y\r\n"],
          [`${json}Content-Length: 9000\r\n\r\n`, " "],
          [`${json}Transfer-Encoding: chunked\r\n\r\n`, "1\r\n \r\n"]
        ] as const) {
          const problem = problemOf(yield* dripped(port, head, drop))
          expect(problem).toMatchObject({ type: "about:blank", title: "Request Timeout", status: 408 })
        }
      }
    }),
  900_000
)

it.live("on every listener, refuses a request or upgrade that has two Host headers or none", () =>
  Effect.gen(function* () {
    const { adminUrl, restUrl } = yield* RestClient
    const auth = yield* AuthServer.open({
      host,
      port: 0,
      brand: "svc",
      issuer: "https://auth.venue.test/auth/v1",
      consentOrigin: "https://auth.venue.test",
      clientKeys: [],
      captcha: "never",
      limits: false,
      trustedProxies: [],
      allowPublicFormRefresh: false
    }).pipe(Effect.provide(Captcha.layerLocal("solved")))
    const socket = yield* socketAt()
    const upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    for (const url of [restUrl, adminUrl, auth.url, `http://${host}:${socket.port}`]) {
      const own = new URL(url).host
      for (const hosts of ["", `Host: ${own}\r\nHost: ${own}\r\n`, `Host: ${own}\r\nhOST: evil.test\r\n`]) {
        for (const more of ["", `${upgrade}${key}`]) {
          const text = yield* raw(url, `GET /health/live HTTP/1.1\r\n${hosts}${more}\r\n`)
          expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
          const problem = problemOf(text)
          if (url === auth.url) expect(problem).toMatchObject({ code: 400, error: "invalid_request" })
          else expect(problem).toMatchObject({ status: 400, detail: "Expected exactly one Host header." })
        }
      }
      const good = yield* raw(url, `GET /health/live HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`)
      expect(good).toMatch(/^HTTP\/1\.1 200 /)
    }
    const handshake = yield* raw(`http://${host}:${socket.port}`, `GET / HTTP/1.1\r\nHost: x\r\n${upgrade}\r\n`)
    expect(handshake).toContain("\r\nSec-WebSocket-Version: 13\r\n")
    expect(problemOf(handshake)).toMatchObject({ status: 400, detail: expect.stringContaining("Sec-WebSocket-Key") })
  }).pipe(Effect.provide(layer))
)

/** Server that returns each request body, and signals when it starts to read one. */
const reading = (begun: Deferred.Deferred<void>) =>
  HttpListener.listen({ what: "an echo", host, port: 0 }, () => ({
    layer: HttpRouter.add(
      "POST",
      "/echo",
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        Effect.map(Effect.orDie(Effect.andThen(Deferred.succeed(begun, undefined), request.text)), (body) =>
          HttpServerResponse.text(body)
        )
      )
    ),
    routes: [{ method: "POST", path: "/echo" }]
  }))

const heads = {
  "that has not begun": `${json}Content-Length: 9000\r\n\r\n`,
  "that stopped halfway": `${json}Content-Length: 9000\r\n\r\n{"a":`,
  "in chunks that stopped": `${json}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`
}

it.effect.each(Object.entries(heads))("returns 504 and then closes the connection for a body %s", ([, head]) =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const { port } = yield* reading(begun)
    const closed = yield* Deferred.make<string>()
    yield* Effect.acquireRelease(
      Effect.sync(() => {
        let text = ""
        return connect(port, host)
          .on("data", (chunk) => void (text += String(chunk)))
          .on("error", () => {})
          .on("close", () => Deferred.doneUnsafe(closed, Effect.succeed(text)))
          .setNoDelay()
          .on("connect", function (this: Connection) {
            this.write(head)
          })
      }),
      (socket) => Effect.sync(() => socket.destroy())
    )
    yield* Deferred.await(begun)
    yield* TestClock.adjust("15 seconds")
    const received = yield* Deferred.await(closed)
    expect(received).toMatch(/^HTTP\/1\.1 504 /)
    expect(received).toMatch(/^connection: close\r$/im)
    expect(problemOf(received)).toMatchObject({
      title: "Gateway Timeout",
      status: 504,
      detail: "The request body did not arrive within 15 seconds; nothing was done. Send the request again."
    })
  })
)
