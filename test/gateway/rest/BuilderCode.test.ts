/** Tests of requests for builder codes whose bodies arrive late, over real sockets. */
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect, type Socket } from "node:net"
import { layer, RestClient } from "./RestClient.ts"

/** Number of database connections that a gateway has for requests. */
const connections = 6
const shares = { svc_fee_share_bps: 5_000, builder_fee_share_bps: 3_000 }
const body = JSON.stringify(shares)

/** Sends the head of a request, waits for 100 Continue, and withholds the body. */
const unsent = Effect.fnUntraced(function* (user: TestUser) {
  const { restUrl, signed } = yield* RestClient
  const { hostname, port } = new URL(restUrl)
  const headers = {
    host: "x",
    "content-type": "application/json",
    "content-length": String(body.length),
    expect: "100-continue",
    ...(yield* signed(user))
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return yield* Effect.acquireRelease(
    Effect.callback<Socket>((resume) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`POST /user/builder-code HTTP/1.1\r\n${lines.join("")}\r\n`)
      )
      socket.on("error", () => {})
      socket.once("data", () => {
        socket.pause()
        resume(Effect.succeed(socket))
      })
    }),
    (socket) => Effect.sync(() => socket.destroy())
  )
})

/** Sends the body and returns the status. */
const sent = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    socket.once("data", (bytes) => resume(Effect.succeed(bytes.toString("latin1").slice("HTTP/1.1 ".length, 12))))
    socket.write(body)
    socket.resume()
  })

it.live(
  "takes a database connection only after the request body has arrived, and serves other requests meanwhile",
  () =>
    Effect.gen(function* () {
      const { post, signed } = yield* RestClient
      const venue = yield* TestVenue
      const [slow, quick] = [yield* venue.user("slow"), yield* venue.user("quick")]
      const sockets = yield* Effect.replicateEffect(unsent(slow), connections)
      const { status } = yield* post("/user/builder-code", shares, yield* signed(quick))
      // No request has timed out yet. Each one gets its response once its body is complete.
      const statuses = yield* Effect.forEach(sockets, sent)
      expect([status, ...statuses]).toEqual([201, "201", "409", "409", "409", "409", "409"])
    }).pipe(Effect.scoped, Effect.provide(layer))
)
