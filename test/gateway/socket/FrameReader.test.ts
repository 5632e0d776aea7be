/** Tests of the rate and memory limits of a WebSocket listener, and of fragmented frames. */
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { WebSocket } from "ws"
import * as RawClient from "./RawClient.ts"
import { frame, fragmented } from "./RawClient.ts"

/** Echo listener whose clock only the test advances. */
const listening = (options: { readonly limits?: boolean; readonly budget?: SocketBudget.SocketBudget } = {}) =>
  Effect.gen(function* () {
    const clock = yield* TestClock.make()
    const received: Array<string> = []
    const nowMillis = () => clock.currentTimeMillisUnsafe()
    const { port } = yield* Socket.listen({
      what: "a test",
      host: "127.0.0.1",
      port: 0,
      budget: options.budget ?? SocketBudget.make({ limits: options.limits ?? true, nowMillis }).marketData,
      restUrl: "https://rest.venue.test",
      addressOf: ({ headers }) => String(headers["x-from"]),
      accept: (transport) => ({
        text: (text) => {
          received.push(text)
          transport.send(text)
        },
        closed: () => {}
      }),
      answer: (_, response) => response.end()
    }).pipe(Effect.provideService(Clock.Clock, clock))
    return { clock, received, port }
  })

const echoed = (client: RawClient.RawClient, text: string) =>
  Effect.suspend(() => {
    client.write(frame("text", text))
    return client.until(() => client.texts.includes(text))
  })
/** Runs turns of the event loop until the condition holds. */
const turns = (holds: () => boolean) =>
  Effect.repeat(
    Effect.callback<void>((resume) => void setImmediate(resume, Effect.void)),
    { until: holds }
  )
const pings = (count: number) => Buffer.concat(Array.from({ length: count }, () => frame("ping")))

it.live("accepts a message of 16 fragments, and closes the connection with a reason at the 17th fragment", () =>
  Effect.gen(function* () {
    const { port } = yield* listening()
    const client = yield* RawClient.open(port)
    client.write(fragmented(8, false), frame("ping"))
    for (let left = 7; left > 0; left--) client.write(frame("continuation", "x", false))
    client.write(frame("continuation", "x"))
    yield* client.until(() => client.texts.length === 1)
    assert.deepStrictEqual(client.texts, ["x".repeat(16)])
    assert.strictEqual(client.pongs(), 1)
    client.write(frame("text", "before"), fragmented(14_000, false))
    yield* client.until(() => client.closed() !== undefined)
    assert.deepStrictEqual(client.closed(), {
      code: 1008,
      reason: "a message can have at most 16 fragments; send it in one frame"
    })
    assert.deepStrictEqual(client.texts.slice(1), ["before"])
  })
)

it.live(
  "charges each ping before the pong, and closes a flooding client's connection without affecting other clients",
  () =>
    Effect.gen(function* () {
      const { clock, port } = yield* listening()
      const flooder = yield* RawClient.open(port, "203.0.113.7")
      const neighbour = yield* RawClient.open(port, "203.0.113.7")
      const other = yield* RawClient.open(port, "203.0.113.8")
      flooder.write(pings(5_000))
      // The client spends 50 frames of its own bucket, plus 7 x 128 of the 1,000 in the address bucket.
      yield* flooder.until(() => flooder.pongs() >= 946)
      yield* echoed(neighbour, "a neighbour is served")
      yield* echoed(other, "another is served")
      assert.strictEqual(flooder.pongs(), 946)
      for (let i = 0; i < 51; i++) yield* clock.adjust("100 millis")
      yield* flooder.until(() => flooder.closed() !== undefined)
      assert.strictEqual(flooder.closed()?.code, 1008)
      assert.include(flooder.closed()?.reason, "too many frames or pings")
      assert.isBelow(flooder.pongs(), 1_600)
      yield* echoed(neighbour, "and is served again")

      // The next socket from the address has only its own bucket, because the address bucket is empty.
      const again = yield* RawClient.open(port, "203.0.113.7")
      const before = other.pongs()
      again.write(pings(5_000))
      other.write(pings(900))
      yield* other.until(() => other.pongs() - before === 900)
      assert.isAtMost(again.pongs(), 50 + 128)
    })
)

it.live("charges text frames and pongs like pings, whether rate limits are on or off", () =>
  Effect.gen(function* () {
    for (const limits of [true, false]) {
      const { clock, received, port } = yield* listening({ limits })
      const texts = yield* RawClient.open(port, "203.0.113.7")
      texts.write(Buffer.concat(Array.from({ length: 10_000 }, () => frame("text", "{}"))))
      const pongs = yield* RawClient.open(port, "203.0.113.8")
      pongs.write(Buffer.concat(Array.from({ length: 10_000 }, () => frame("pong"))))
      // The client spends 100 frames of its own bucket, plus 38 x 128 of the 5,000 in the address bucket.
      yield* texts.until(() => texts.texts.length >= 4_964)
      for (const client of [texts, pongs]) {
        while (client.closed() === undefined) {
          yield* clock.adjust("100 millis")
          yield* Effect.callback<void>((resume) => void setImmediate(resume, Effect.void))
        }
        assert.strictEqual(client.closed()?.code, 1008)
      }
      assert.isBelow(received.length, 4_964 + 60 * 25)
    }
  })
)

it.live(
  "limits the frames that a socket reads per turn, so that one client's flood does not delay another client",
  () =>
    Effect.gen(function* () {
      const { received, port } = yield* listening()
      const flooder = yield* RawClient.open(port)
      const other = yield* RawClient.open(port)
      flooder.write(...Array.from({ length: 2_000 }, () => frame("text", "{}")))
      yield* echoed(other, "other")
      assert.isBelow(received.indexOf("other"), 500)
      yield* flooder.until(() => flooder.texts.length === 2_000)
    })
)

it.live("reads each frame once and in order, however the frames are split into packets", () =>
  Effect.gen(function* () {
    const { received, port } = yield* listening({
      budget: SocketBudget.make({ limits: false, nowMillis: () => 0 }).trade
    })
    const client = yield* RawClient.open(port)
    const sent: Array<string> = []
    const frames: Array<Buffer> = []
    for (let at = 0; at < 300; at++) {
      const length = yield* Random.choice([0, 3, 125, 126, 1_000, 20_000, 65_536])
      const text = `${at} ${"x".repeat(length)}`.slice(0, 65_536)
      sent.push(text)
      const middle = yield* Random.nextIntBetween(0, text.length)
      frames.push(
        ...(at % 3 === 0
          ? [frame("text", text.slice(0, middle), false), frame("pong"), frame("continuation", text.slice(middle))]
          : [frame("text", text)])
      )
    }
    const bytes = Buffer.concat(frames)
    for (let at = 0; at < bytes.length;) {
      const length = yield* Random.choice([1, 2, 7, 100, 1_000, 20_000, 200_000])
      client.socket.write(bytes.subarray(at, at + length))
      at += length
      yield* Effect.callback<void>((resume) => void setImmediate(resume, Effect.void))
    }
    yield* client.until(() => client.texts.length === sent.length)
    assert.deepStrictEqual(received, sent)
    assert.deepStrictEqual(client.texts, sent)
  })
)

it.live(
  "rejects a forbidden frame after its first bytes, with code 1009 if the frame is too long and with 1002 otherwise",
  () =>
    Effect.gen(function* () {
      const { port } = yield* listening()
      const start = (first: number, second: number, ...more: ReadonlyArray<number>) =>
        Buffer.from([first, second, ...more, 0, 0, 0, 0])
      const wrong: ReadonlyArray<readonly [Buffer, number]> = [
        [start(0x81, 5), 1002],
        [start(0xc1, 0x85), 1002],
        [start(0x83, 0x85), 1002],
        [start(0x80, 0x85), 1002],
        [start(0x09, 0x85), 1002],
        [start(0x89, 0xfe, 0, 200), 1002],
        [start(0x8b, 0x80), 1002],
        [Buffer.concat([frame("text", "x", false), start(0x81, 0x85)]), 1002],
        [start(0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 1), 1009],
        [start(0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0), 1009],
        [Buffer.concat([frame("text", "x", false), start(0x80, 0xff, 0, 0, 0, 0, 0, 1, 0, 0)]), 1009]
      ]
      for (const [at, [bytes, code]] of wrong.entries()) {
        const client = yield* RawClient.open(port, `203.0.113.${at}`)
        client.write(bytes)
        yield* client.until(() => client.closed() !== undefined || client.socket.destroyed)
        assert.strictEqual(client.closed()?.code, code, `number ${at}`)
      }
    })
)

it.live("charges unfinished messages for their memory, and closes the socket with code 1013 at the limit", () =>
  Effect.gen(function* () {
    let kept = 0
    let most = Infinity
    const allowance: SocketBudget.Allowance = {
      frame: () => true,
      control: () => true,
      unfinished: (bytes) => (kept = bytes) <= most,
      unread: () => true,
      close: () => {},
      closing: () => {}
    }
    const { port } = yield* listening({ budget: { refusal: () => undefined, open: () => allowance } })
    const client = yield* RawClient.open(port)
    const whole = frame("text", "x".repeat(1_000))
    client.write(whole.subarray(0, 600))
    yield* turns(() => kept >= 600)
    assert.isBelow(kept, 2_000)
    client.write(whole.subarray(600))
    yield* client.until(() => client.texts.length === 1)
    assert.strictEqual(kept, 0)

    // Each 10-byte fragment uses hundreds of bytes of memory, but the rest of its read buffer is not kept.
    client.write(pings(8_000), fragmented(10, false))
    yield* turns(() => kept > 10 * 256)
    assert.isBelow(kept, 10 * 256 + 1_000)
    most = 4_096
    client.write(frame("continuation", "x".repeat(5_000), false))
    yield* client.until(() => client.closed() !== undefined)
    assert.deepStrictEqual(client.closed(), {
      code: 1013,
      reason: "unfinished messages use too much memory; send each message in one frame, or reconnect later"
    })
  })
)

it.live("limits the unread frames of all clients together, and closes a slow client with code 1013", () =>
  Effect.gen(function* () {
    let waiting = 0
    const allowance: SocketBudget.Allowance = {
      frame: () => true,
      control: () => true,
      unfinished: () => true,
      unread: (bytes) => (waiting = bytes) < 100_000,
      close: () => {},
      closing: () => {}
    }
    const { port } = yield* listening({ budget: { refusal: () => undefined, open: () => allowance } })
    const client = yield* RawClient.open(port)
    client.socket.pause()
    client.write(...Array.from({ length: 400 }, () => frame("text", "x".repeat(60_000))))
    yield* turns(() => waiting >= 100_000)
    client.socket.resume()
    yield* client.until(() => client.closed() !== undefined)
    assert.deepStrictEqual(client.closed(), {
      code: 1013,
      reason: "the client did not read its frames, and the gateway's buffer for unread frames is full"
    })
  })
)

it.live("refuses a socket over the limit with a problem that states the fix", () =>
  Effect.gen(function* () {
    const refusals: Array<SocketBudget.Refusal> = [
      { _tag: "AddressFull", most: 20 },
      { _tag: "VenueFull", most: 10_000 },
      { _tag: "TooManyUpgrades", waitMillis: 600 }
    ]
    const budget = SocketBudget.make({ limits: true, nowMillis: () => 0 }).marketData
    const { port } = yield* listening({ budget: { ...budget, refusal: () => refusals.shift() } })
    const upgrade = Effect.callback<{ readonly status: string; readonly problem: object }>((resume) => {
      const client = new WebSocket(`ws://127.0.0.1:${port}`)
      client.on("error", () => {})
      client.on("unexpected-response", (_, response) => {
        let text = ""
        response.on("data", (bytes) => (text += String(bytes)))
        response.on("end", () => {
          const { "content-type": type, "retry-after": seconds } = response.headers
          const status = `${response.statusCode} ${response.statusMessage}, ${type}, in ${seconds}`
          resume(Effect.succeed({ status, problem: JSON.parse(text) }))
        })
      })
    })
    const [address, venue, often] = [yield* upgrade, yield* upgrade, yield* upgrade]
    assert.strictEqual(address.status, "429 Too Many Requests, application/problem+json, in 5")
    assert.include(address.problem, {
      type: "https://rest.venue.test/problems/too-many-sockets",
      detail: "This listener accepts at most 20 open sockets per client address; close one first."
    })
    assert.strictEqual(venue.status, "503 Service Unavailable, application/problem+json, in 5")
    assert.include(venue.problem, { type: "https://rest.venue.test/problems/venue-full" })
    assert.strictEqual(often.status, "429 Too Many Requests, application/problem+json, in 1")
    assert.include(often.problem, { type: "https://rest.venue.test/problems/rate-exceeded" })
  })
)
