/** Tests of an HTTP listener with clients that do not read their responses. */
import * as HttpListener from "@venue/gateway/http/HttpListener"
import { it } from "@effect/vitest"
import { Deferred, Effect, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { connect } from "node:net"

it.live("disconnects a client that does not read its response, and frees the response's memory", () =>
  Effect.gen(function* () {
    const released = yield* Deferred.make<void>()
    const endless = Stream.forever(Stream.succeed(new Uint8Array(64 * 1024)))
    const route = Effect.as(
      Effect.acquireRelease(Effect.void, () => Deferred.succeed(released, undefined)),
      HttpServerResponse.stream(endless)
    )
    const { port } = yield* HttpListener.listen(
      {
        what: "a test",
        host: "127.0.0.1",
        port: 0,
        timeouts: { headersMillis: 10_000, requestMillis: 10_000, checkMillis: 1_000, stalledMillis: 100 }
      },
      () => ({ layer: HttpRouter.add("GET", "/endless", route), routes: [{ method: "GET", path: "/endless" }] })
    )
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => connect(port, "127.0.0.1")),
      (client) => Effect.sync(() => client.destroy())
    )
    socket.on("error", () => {})
    socket.pause()
    socket.write("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
    yield* Deferred.await(released)
  }).pipe(Effect.scoped)
)
