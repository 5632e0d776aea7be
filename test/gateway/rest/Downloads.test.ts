/**
 * Tests of CSV downloads for clients that stop reading, disconnect or request too many files, and for a source that
 * fails.
 */
import { Unavailable } from "@venue/cluster/protocol/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { History } from "@venue/gateway/History"
import { AccountId } from "@venue/domain/AccountId"
import * as Trades from "@venue/storage/history/Trades"
import { type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert, expect, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { connect, type Socket } from "node:net"
import { traded } from "../../journal/EventsByHand.ts"
import { layerReading, raw, RestClient } from "./RestClient.ts"

const gold = MarketSymbol.make("GOLD-USD")
const partRows = 2_000
const row = Trades.rowsOf(gold, traded("endless", 1, {}))[0]!
const part = Array.from({ length: partRows }, () => ({ ...row, accountId: AccountId.make("somebody") }))
/** Ids are random so that gzip does not shrink the part. */
const varied = part.map((one, index) => ({
  ...one,
  tradeId: createHash("sha256").update(String(index)).digest("hex")
}))

/** History whose list has `parts` full parts and then fails or ends. */
const listOf = (parts: number, then: "fails" | "ends" = "ends", rows = part) => {
  const progress = { parts: 0 }
  const history = History.of({
    // Each file starts again at the first part.
    read: () =>
      Effect.sync(() => {
        progress.parts = 0
        return row as never
      }),
    readOn: () =>
      Effect.suspend(() => {
        if (progress.parts === parts && then === "fails") return Effect.fail(new Unavailable({ what: "a test" }))
        if (progress.parts === parts) return Effect.succeed([] as never)
        progress.parts += 1
        return Effect.succeed(rows as never)
      }),
    count: () => Effect.die("a file has no count")
  })
  return { history, progress }
}

const linesOf = (headers: Record<string, string>) =>
  Object.entries({ host: "x", ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("")

/** Requests a file and reads only the response head. */
const stalled = Effect.fnUntraced(function* (user: TestUser, more: Record<string, string> = {}) {
  const { restUrl, signed } = yield* RestClient
  const headers = linesOf({ ...(yield* signed(user)), ...more })
  const { hostname, port } = new URL(restUrl)
  return yield* Effect.acquireRelease(
    Effect.callback<{ readonly socket: Socket; readonly head: string }>((resume) => {
      const socket = connect(Number(port), hostname, () => socket.write(`GET /trades-csv HTTP/1.1\r\n${headers}\r\n`))
      socket.on("error", () => {})
      socket.once("data", (bytes) => {
        socket.pause()
        resume(Effect.succeed({ socket, head: bytes.toString("latin1").split("\r\n")[0]! }))
      })
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )
})

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
/**
 * Waits until the server has read no part for 50 turns of the event loop, or has read more parts than any buffer
 * holds.
 */
const atRest = (progress: { readonly parts: number }, most: number) =>
  Effect.gen(function* () {
    for (
      let still = 0, before = -1;
      still < 50 && progress.parts <= most;
      still = progress.parts === before ? still + 1 : 0
    ) {
      before = progress.parts
      yield* turn
    }
    return progress.parts
  })

/** Capacity of the socket buffers on both sides, in parts of a few hundred kilobytes. */
const buffered = 100

for (const encoding of ["identity", "gzip"]) {
  const { history, progress } = listOf(100_000)
  it.live(`if a client stops reading, reads no more parts of the file than the buffers hold (${encoding})`, () =>
    Effect.gen(function* () {
      const user = yield* (yield* TestVenue).user("slow")
      const { head, socket } = yield* stalled(user, { "accept-encoding": encoding })
      assert.strictEqual(head, "HTTP/1.1 200 OK")
      const parts = yield* atRest(progress, 10 * buffered)
      // Gzip shrinks the parts, so the buffers hold more of them.
      assert.isAtMost(parts, encoding === "gzip" ? 10 * buffered : buffered)
      assert.isAtLeast(parts, 1)
      if (encoding === "identity") {
        socket.resume()
        yield* Effect.repeat(turn, { until: () => progress.parts > parts })
      }
    }).pipe(Effect.scoped, Effect.provide(layerReading(history)))
  )
}

/** Returns the last 7 characters received before the connection closed. */
const ending = (socket: Socket) =>
  Effect.callback<string>((resume) => {
    let last = ""
    const over = () => resume(Effect.succeed(last))
    if (socket.closed) return over()
    socket.on("data", (bytes) => {
      last = (last + bytes.toString("latin1")).slice(-7)
    })
    socket.on("close", over)
    socket.resume()
  })

for (const encoding of ["identity", "gzip"]) {
  it.effect(
    `disconnects a client that reads a part too slowly, and keeps a slow client that continues to read (${encoding})`,
    () =>
      Effect.gen(function* () {
        const user = yield* (yield* TestVenue).user("idle")
        const more = { "accept-encoding": encoding }
        const [reading, idle] = [yield* stalled(user, more), yield* stalled(user, more)]
        let taken = 0
        reading.socket.on("data", (bytes) => {
          taken += bytes.length
        })
        reading.socket.resume()
        yield* TestClock.adjust("14 seconds")
        assert.strictEqual((yield* stalled(user, more)).head, "HTTP/1.1 429 Too Many Requests")
        // Waits 5 s after each megabyte, until the buffers of the idle client are full and its time limit has passed.
        yield* Effect.gen(function* () {
          const before = taken
          yield* Effect.repeat(turn, { until: () => taken > before + 1_000_000 })
          yield* TestClock.adjust("5 seconds")
          return (yield* Effect.scoped(stalled(user, more))).head
        }).pipe(Effect.repeat({ until: (head) => head === "HTTP/1.1 200 OK" }))
        assert.notStrictEqual(yield* ending(idle.socket), "\r\n0\r\n\r\n")
        assert.isFalse(reading.socket.closed)
      }).pipe(Effect.scoped, Effect.provide(layerReading(listOf(100_000, "ends", varied).history)))
  )
}

for (const encoding of ["identity", "gzip"]) {
  it.live(`closes the connection if a file cannot be read to its end (${encoding})`, () =>
    Effect.gen(function* () {
      const { restUrl, signed } = yield* RestClient
      const user = yield* (yield* TestVenue).user("broken")
      const headers = { ...(yield* signed(user)), "accept-encoding": encoding }
      const text = yield* raw(restUrl, `GET /trades-csv HTTP/1.1\r\n${linesOf(headers)}\r\n`)
      // Compressed output that was not yet flushed is also lost.
      if (encoding === "identity") assert.match(text, /^HTTP\/1\.1 200 OK\r\n.*\r\ntransfer-encoding: chunked\r\n/is)
      assert.isFalse(text.endsWith("\r\n0\r\n\r\n"))
      const again = { ...(yield* signed(user)), "accept-encoding": encoding }
      const failed = yield* Effect.promise(() =>
        fetch(`${restUrl}/trades-csv`, { headers: again })
          .then((answer) => answer.text())
          .then(
            () => "whole",
            () => "broken off"
          )
      )
      assert.strictEqual(failed, "broken off")
    }).pipe(Effect.provide(layerReading(listOf(2, "fails").history)))
  )
}

it.live("sends a whole file with header and rows", () =>
  Effect.gen(function* () {
    const { get, restUrl, signed } = yield* RestClient
    const user = yield* (yield* TestVenue).user("whole")
    const { headers, text } = yield* get("/trades-csv", yield* signed(user))
    assert.strictEqual(headers.get("content-encoding"), "gzip")
    assert.strictEqual(headers.get("vary"), "Accept-Encoding")
    assert.strictEqual(text.split("\r\n").length, 3 * partRows + 2)
    const plain = yield* raw(
      restUrl,
      `GET /trades-csv HTTP/1.1\r\nConnection: close\r\n${linesOf(yield* signed(user))}\r\n`
    )
    assert.isTrue(plain.endsWith("\r\n0\r\n\r\n"))
    assert.notMatch(plain, /content-encoding/i)
  }).pipe(Effect.provide(layerReading({ ...listOf(3).history, readOn: thrice() })))
)

/** Returns three full parts for each file. */
function thrice(): History["Service"]["readOn"] {
  let reads = 0
  return () => Effect.sync(() => (reads++ % 4 < 3 ? part : []) as never)
}

it.live(
  "limits downloads to two per user and eight in total, and frees a slot after a disconnect or a HEAD request",
  () =>
    Effect.gen(function* () {
      const { restUrl, signed } = yield* RestClient
      const venue = yield* TestVenue
      const users = yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) => venue.user(name))
      const ask = Effect.fnUntraced(function* (user: TestUser, method: string) {
        const headers = yield* signed(user)
        return yield* Effect.promise(async () => {
          const aborting = new AbortController()
          const { headers: answered, status } = await fetch(`${restUrl}/trades-csv`, {
            method,
            headers,
            signal: aborting.signal
          })
          aborting.abort()
          return [status, answered.get("retry-after")] as const
        })
      })
      for (let times = 0; times < 10; times++) expect((yield* ask(users[0]!, "HEAD"))[0]).toBe(200)
      const first = yield* stalled(users[0]!)
      yield* stalled(users[0]!)
      expect(yield* ask(users[0]!, "GET")).toEqual([429, "5"])
      for (const user of users.slice(1, 4)) for (let times = 0; times < 2; times++) yield* stalled(user)
      expect(yield* ask(users[4]!, "GET")).toEqual([503, "5"])
      first.socket.destroy()
      const admitted = yield* ask(users[4]!, "GET").pipe(
        Effect.repeat({ until: ([status]) => status === 200, schedule: Schedule.recurs(1_000) })
      )
      expect(admitted[0]).toBe(200)
    }).pipe(Effect.scoped, Effect.provide(layerReading(listOf(100_000).history)))
)
