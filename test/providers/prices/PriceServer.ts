/** Stand-ins for price sources on this machine, with real HTTP and WebSocket, good and faulty. */
import { type Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { type WebSocket, WebSocketServer } from "ws"

/** Advances the test clock in steps, with time for the sockets in between, until a condition holds. */
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

/** Starts an HTTP server and returns its address; `answer` may leave a request open. */
export const http = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.map(started(answer), (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`)

/** Starts a WebSocket server and returns its address; `accept` receives each connection and its request. */
export const webSocket = (accept: (socket: WebSocket, request: IncomingMessage) => void) =>
  Effect.map(
    started((_request, response) => void response.writeHead(404).end()),
    (server) => {
      new WebSocketServer({ server }).on("connection", accept)
      return `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
    }
  )
