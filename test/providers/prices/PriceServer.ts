/** HTTP and WebSocket servers on this machine that stand in for price sources. */
import { type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"

/** Advances the test clock in steps until the condition holds; the sockets make progress between steps. */
export const pass = (step: Duration.Input, until: () => boolean) =>
  Effect.repeat(Effect.andThen(TestClock.adjust(step), turns), { until: () => until() })

const turns = Effect.repeat(
  Effect.callback<void>((resume) => {
    setImmediate(() => resume(Effect.void))
  }),
  { times: 20 }
)

const started = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(answer)
      await once(server.listen(0, "127.0.0.1"), "listening")
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.close()
        server.closeAllConnections()
        await once(server, "close")
      })
  )

/** Starts an HTTP server and returns its URL. `answer` is allowed to leave a request without a response. */
export const http = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.map(started(answer), (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`)

/** Starts a WebSocket server and returns its URL. `accept` receives each connection and its request. */
export const webSocket = (accept: (socket: WebSocket, request: IncomingMessage) => void) =>
  Effect.map(
    started((_request, response) => void response.writeHead(404).end()),
    (server) => {
      new WebSocketServer({ server }).on("connection", accept)
      return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
    }
  )
