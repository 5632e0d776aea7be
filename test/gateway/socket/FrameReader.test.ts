/** A WebSocket listener and clients that send more than they may, or cut it in pieces. */
import * as Socket from "@venue/gateway/socket/Socket"
import * as SocketBudget from "@venue/gateway/socket/SocketBudget"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { WebSocket } from "ws"
import * as RawClient from "./RawClient.ts"
import { frame, fragmented } from "./RawClient.ts"

/** Echoes; the clock stands unless the test moves it. */
const listening = (options: { readonly limits?: boolean; readonly budget?: SocketBudget.SocketBudget } = {}) =>
  Effect.gen(function* () {
    const clock = yield* TestClock.make()
    const heard: Array<string> = []
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
          heard.push(text)
          transport.send(text)
        },
        closed: () => {}
      }),
      answer: (_, response) => response.end()
    }).pipe(Effect.provideService(Clock.Clock, clock))
    return { clock, heard, port }
  })

const echoed = (client: RawClient.RawClient, text: string) =>
  Effect.suspend(() => {
    client.write(frame("text", text))
    return client.until(() => client.texts.includes(text))
  })
/** Turns of the event loop until it holds. */
const turns = (holds: () => boolean) =>
  Effect.repeat(
    Effect.callback<void>((resume) => void setImmediate(resume, Effect.void)),
    { until: holds }
  )
const pings = (count: number) => Buffer.concat(Array.from({ length: count }, () => frame("ping")))

it.live("a message comes in 16 fragments, with pings between; the 17th ends the connection, which says why", () =>
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
      reason: "a message has 16 fragments at most: send it whole"
    })
    assert.deepStrictEqual(client.texts.slice(1), ["before"])
  })
)

it.live(
  "a ping is charged before it is answered; who goes on is read no further and then closed, and others are not",
  () =>
    Effect.gen(function* () {
      const { clock, port } = yield* listening()
      const flooder = yield* RawClient.open(port, "203.0.113.7")
      const neighbour = yield* RawClient.open(port, "203.0.113.7")
      const other = yield* RawClient.open(port, "203.0.113.8")
      flooder.write(pings(5_000))
      // Fifty of its own, and seven times 128 of the thousand of its address.
      yield* flooder.until(() => flooder.pongs() >= 946)
      yield* echoed(neighbour, "a neighbour is heard")
      yield* echoed(other, "another is heard")
      assert.strictEqual(flooder.pongs(), 946)
      for (let i = 0; i < 51; i++) yield* clock.adjust("100 millis")
      yield* flooder.until(() => flooder.closed() !== undefined)
      assert.strictEqual(flooder.closed()?.code, 1008)
      assert.include(flooder.closed()?.reason, "too many frames or pings")
      assert.isBelow(flooder.pongs(), 1_600)
      yield* echoed(neighbour, "and is heard again")

      // What its address has used up is used up for the next socket too, but for what each has of its own.
      const again = yield* RawClient.open(port, "203.0.113.7")
      const before = other.pongs()
      again.write(pings(5_000))
      other.write(pings(900))
      yield* other.until(() => other.pongs() - before === 900)
      assert.isAtMost(again.pongs(), 50 + 128)
    })
)

it.live("frames of text and pongs are charged as pings are, whether or not limits are on", () =>
  Effect.gen(function* () {
    for (const limits of [true, false]) {
      const { clock, heard, port } = yield* listening({ limits })
      const texts = yield* RawClient.open(port, "203.0.113.7")
      texts.write(Buffer.concat(Array.from({ length: 10_000 }, () => frame("text", "{}"))))
      const pongs = yield* RawClient.open(port, "203.0.113.8")
      pongs.write(Buffer.concat(Array.from({ length: 10_000 }, () => frame("pong"))))
      // A hundred of its own, and 38 times 128 of the 5,000 of its address.
      yield* texts.until(() => texts.texts.length >= 4_964)
      for (const client of [texts, pongs]) {
        while (client.closed() === undefined) {
          yield* clock.adjust("100 millis")
          yield* Effect.callback<void>((resume) => void setImmediate(resume, Effect.void))
        }
        assert.strictEqual(client.closed()?.code, 1008)
      }
      assert.isBelow(heard.length, 4_964 + 60 * 25)
    }
  })
)

it.live("one turn takes some frames of a socket, so that who comes after a flood does not wait for its end", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* listening()
    const flooder = yield* RawClient.open(port)
    const other = yield* RawClient.open(port)
    flooder.write(...Array.from({ length: 2_000 }, () => frame("text", "{}")))
    yield* echoed(other, "other")
    assert.isBelow(heard.indexOf("other"), 500)
    yield* flooder.until(() => flooder.texts.length === 2_000)
  })
)

it.live("however frames are cut on their way, each is taken once and in order", () =>
  Effect.gen(function* () {
    const { heard, port } = yield* listening({
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
    assert.deepStrictEqual(heard, sent)
    assert.deepStrictEqual(client.texts, sent)
  })
)

it.live("what no client may send is told by its first bytes: 1002, or 1009 when it would be too long", () =>
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

it.live(
  "what is unfinished is counted as the memory it takes, given back when it is finished, and refused with 1013",
  () =>
    Effect.gen(function* () {
      let kept = 0
      let most = Infinity
      const allowance: SocketBudget.Allowance = {
        frame: () => true,
        control: () => true,
        unfinished: (bytes) => (kept = bytes) <= most,
        unread: () => true,
        close: () => {}
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

      // Ten bytes cost hundreds each, and what was read beside them is not held on to.
      client.write(pings(8_000), fragmented(10, false))
      yield* turns(() => kept > 10 * 256)
      assert.isBelow(kept, 10 * 256 + 1_000)
      most = 4_096
      client.write(frame("continuation", "x".repeat(5_000), false))
      yield* client.until(() => client.closed() !== undefined)
      assert.deepStrictEqual(client.closed(), {
        code: 1013,
        reason: "too much is unfinished here: send messages whole, or come again later"
      })
    })
)

it.live(
  "what waits for clients to read it is bounded over all of them: one that reads too little is closed with 1013",
  () =>
    Effect.gen(function* () {
      let waiting = 0
      const allowance: SocketBudget.Allowance = {
        frame: () => true,
        control: () => true,
        unfinished: () => true,
        unread: (bytes) => (waiting = bytes) < 100_000,
        close: () => {}
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
        reason: "frames were not read, and too many wait for others"
      })
    })
)

it.live("a socket too many is refused with a problem that says what to do", () =>
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
      detail: "An address may have 20 sockets open here; close one first."
    })
    assert.strictEqual(venue.status, "503 Service Unavailable, application/problem+json, in 5")
    assert.include(venue.problem, { type: "https://rest.venue.test/problems/venue-full" })
    assert.strictEqual(often.status, "429 Too Many Requests, application/problem+json, in 1")
    assert.include(often.problem, { type: "https://rest.venue.test/problems/rate-exceeded" })
  })
)
