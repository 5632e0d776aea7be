import { assert } from "@effect/vitest"
import { Effect, Random } from "effect"
import { TestClock } from "effect/testing"
import { aapl, cancel, gold, limit, modify, say, story, told } from "./Story.ts"

const many = <A>(count: number, make: (at: number) => A) => Array.from({ length: count }, (_, at) => make(at))

story(
  "rule 6.10: accepts a burst of weight 12,000, then responds RateLimited with the waiting time and the request",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const one = yield* venue.trade(alice, [])
      const two = yield* venue.trade(alice, ["order_responses"])
      yield* one.sendAll(many(2_399, () => say("get_user_orders")))
      yield* venue.settle
      assert.deepEqual(new Set(told(yield* one.drain)), new Set(["all_orders_response"]))
      yield* two.sendAll(many(7, (at) => limit("BUY", 1, 190, { client_order_id: `c${at}` })))
      yield* venue.settle
      const frames = yield* two.drain
      assert.deepEqual(told(frames), ["ACK", "ACK", "ACK", "ACK", "ACK", "RateLimited", "RateLimited"])
      const { incoming_message: incoming, message } = frames[5]!.err!
      assert.match(message, /retry after \d+(\.\d)? s/)
      assert.deepEqual(incoming, limit("BUY", 1, 190, { client_order_id: "c5" }))
      // Cancels have a separate rate-limit bucket, and a refused message uses no tokens.
      yield* two.send(cancel("c0", "client_order_id"))
      yield* venue.settle
      assert.deepEqual(told(yield* two.drain), ["CANCELLED"])
      const seconds = Number(/retry after ([\d.]+) s/.exec(message)![1])
      assert.isBelow(seconds, 0.2)
      yield* TestClock.adjust(seconds * 1000)
      yield* two.send(limit("BUY", 1, 190))
      yield* venue.settle
      assert.deepEqual(told(yield* two.drain), ["ACK"])
    })
)

story("rule 6.10: the rate limit that a user's connections share includes messages answered by the gateway", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const levels = say("get_available_leverage_levels", { symbol: gold, leverage: 5 })
    const wrong = limit("BUY", 1, 190, { quantity: "one" })
    for (let n = 0; n < 3; n++) {
      const client = yield* venue.trade(alice, [])
      for (let lot = 0; lot < 40; lot++) {
        yield* client.sendAll(many(100, () => wrong))
        yield* venue.settle
      }
      assert.deepEqual(new Set(told(yield* client.drain)), new Set(["InvalidJSONFormat"]))
      yield* client.close
    }
    const [one, two] = [yield* venue.trade(alice, []), yield* venue.trade(alice, [])]
    yield* one.send(limit("BUY", 1, 190))
    yield* venue.settle
    assert.deepEqual(told(yield* one.drain), ["RateLimited"])
    for (const client of [one, two]) {
      // A new connection is refused only after its first charge to the desk, which these 20 messages cause.
      yield* client.sendAll([...many(10, () => wrong), ...many(10, () => levels)])
      yield* venue.settle
      yield* client.sendAll([wrong, levels, say("subscribe", { channels: ["fills"] })])
      yield* venue.settle
      const frames = (yield* client.drain).slice(-3)
      assert.deepEqual(told(frames), ["RateLimited", "RateLimited", "RateLimited"])
      assert.deepEqual(
        frames.map(({ err }) => err!.incoming_message),
        [wrong, levels, say("subscribe", { channels: ["fills"] })]
      )
    }
    yield* TestClock.adjust("2 seconds")
    yield* two.sendAll([say("subscribe", { channels: ["order_responses"] }), limit("BUY", 1, 190)])
    yield* venue.settle
    assert.deepEqual(told(yield* two.drain), ["subscribed", "ACK"])
  })
)

story("rule 6.10: serves a client whose steady rate stays below the limit", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"), [])
    for (let n = 0; n < 4; n++) {
      yield* client.sendAll(many(4_000, () => say("subscribe", { channels: ["fills"] })))
      yield* client.sendAll(many(3_000, () => say("what", {})))
      yield* TestClock.adjust("6 minutes")
    }
    yield* client.drain
    assert.isUndefined(client.closedWith())
    yield* client.send(say("get_user_leverage", {}))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["user_leverage_response"])
  })
)

story("rule 6.10: applies a separate rate limit to cancels", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const bob = yield* venue.trade(yield* venue.user("bob"))
    yield* client.sendAll(many(6_000, () => say("cancel_all_orders")))
    yield* client.send(cancel("x"))
    yield* client.send(say("cancel_all_orders"))
    yield* client.send(limit("BUY", 1, 190))
    yield* venue.settle
    assert.deepEqual(
      told(yield* client.drain).filter((kind) => kind !== "ack"),
      ["RateLimited", "RateLimited", "ACK"]
    )
    yield* bob.send(cancel("x"))
    assert.strictEqual((yield* bob.take("order_response")).order_response.status, "NO_SUCH_ORDER")
  })
)

story("I48: stops reading from a client that sends faster than the venue responds, and loses no message", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    yield* client.sendAll(many(3_000, (at) => limit("BUY", 1, 190, { client_order_id: `c${at}` })))
    assert.isAbove(client.unread(), 1_000)
    yield* venue.settle
    assert.strictEqual(client.unread(), 0)
    const answers = (yield* client.drain).map((frame) => frame.order_response?.client_order_id)
    assert.deepEqual(
      answers,
      many(3_000, (at) => `c${at}`)
    )
  })
)

story(
  "I49: closes a connection with 1 MiB of unread data with code 1013, and keeps the other connections open",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const slow = yield* venue.trade(alice)
      const quick = yield* venue.trade(alice)
      yield* slow.lag(1024 * 1024)
      yield* quick.send(limit("BUY", 1, 190))
      yield* venue.settle
      assert.isUndefined(slow.closedWith())
      yield* slow.lag(1024 * 1024 + 1)
      yield* quick.send(limit("BUY", 1, 190))
      yield* quick.send(limit("BUY", 1, 190))
      yield* venue.settle
      assert.strictEqual(slow.closedWith()?.code, 1013)
      assert.deepEqual(told(yield* quick.drain), ["ACK", "ACK", "ACK"])
      assert.isBelow((yield* slow.drain).length, 3)
    })
)

const broken: ReadonlyArray<readonly [text: string, code: string]> = [
  ["", "InvalidJSONFormat"],
  ["{", "InvalidJSONFormat"],
  ["not json at all \u0000 \ud800", "InvalidJSONFormat"],
  ["null", "InvalidJSONFormat"],
  ["7", "InvalidJSONFormat"],
  ["[]", "InvalidJSONFormat"],
  [JSON.stringify([limit("BUY", 1, 190)]), "InvalidJSONFormat"],
  ["{}", "InvalidJSONFormat"],
  ['{"type":"add_order"}', "InvalidJSONFormat"],
  ['{"type":"add_order","params":null}', "InvalidJSONFormat"],
  ['{"type":"add_order","params":[]}', "InvalidJSONFormat"],
  ['{"type":"fly","params":{}}', "InvalidJSONFormat"],
  ['{"type":["add_order"],"params":{}}', "InvalidJSONFormat"],
  ['{"type":"__proto__","params":{}}', "InvalidJSONFormat"],
  [`${JSON.stringify(limit("BUY", 1, 190))}${JSON.stringify(limit("BUY", 1, 190))}`, "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { quantity: "one" })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { price: null })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { side: "buy" })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { order_type: "ICEBERG" })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { order_time_in_force: "GFD" })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { reduce_only: "false" })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { symbol: 7 })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190)).replace("190", "1e999"), "InvalidParameter"],
  [JSON.stringify(limit("BUY", 1, 190, { client_order_id: "x".repeat(65) })), "InvalidParameter"],
  [JSON.stringify(limit("BUY", 1, 190, { client_order_id: "naïve" })), "InvalidParameter"],
  [JSON.stringify(limit("BUY", 1, 190, { client_order_id: 7 })), "InvalidJSONFormat"],
  [JSON.stringify(limit("BUY", 1, 190, { take_profit: -1 })), "InvalidParameter"],
  [JSON.stringify(cancel("x", "trade_id")), "InvalidJSONFormat"],
  [`{"type":"get_user_orders","params":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, "InvalidJSONFormat"],
  ['{"type":"get_user_trades","params":{"start_ts":"now"}}', "InvalidJSONFormat"]
]

story("I50: responds to arbitrary bytes with an error frame, and keeps the socket open", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    for (const [text, code] of broken) {
      yield* client.sendText(text)
      yield* venue.settle
      assert.deepEqual(told(yield* client.drain), [code], text.slice(0, 100))
    }
    yield* client.send(limit("BUY", 1, 190))
    assert.strictEqual((yield* client.take("order_response")).order_response.status, "ACK")
    assert.isUndefined(client.closedWith())
  })
)

story("I50: the socket stays open and the account stays consistent after hundreds of corrupted frames", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice", 1_000_000))
    const seeds = [
      limit("BUY", 1, 190, { client_order_id: "a" }),
      modify(
        {
          order_id: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77",
          symbol: aapl,
          side: "BUY",
          type: "LIMIT",
          reduce_only: false
        },
        { price: 191 }
      ),
      cancel("a", "client_order_id"),
      say("get_user_trades", { limit: 5, start_ts: 1_790_400_000 }),
      say("set_user_leverage", { symbol: gold, leverage: 5 }),
      say("subscribe", { channels: ["positions", "balances"] })
    ].map((message) => JSON.stringify(message))
    const bytes = '{}[]",:0-9e.\\u null true\u0000\u2028é'
    for (let round = 0; round < 400; round++) {
      let text = seeds[round % seeds.length]!
      for (let i = yield* Random.nextIntBetween(1, 4); i > 0; i--) {
        const at = yield* Random.nextIntBetween(0, text.length)
        const cut = yield* Random.nextIntBetween(0, 3)
        text = text.slice(0, at) + bytes[yield* Random.nextIntBetween(0, bytes.length - 1)] + text.slice(at + cut)
      }
      yield* client.sendText(text)
    }
    yield* venue.settle
    yield* TestClock.adjust("10 seconds")
    yield* venue.settle
    const codes = new Set((yield* client.drain).flatMap(({ err }) => err?.error_code ?? []))
    assert.isTrue(codes.has("InvalidJSONFormat"))
    assert.isFalse(codes.has("ServerError"))
    assert.isUndefined(client.closedWith())
    yield* client.send(say("cancel_all_orders"))
    yield* client.take("ack")
    yield* venue.settle
    yield* client.drain
    yield* client.send(limit("BUY", 1, 190))
    assert.strictEqual((yield* client.take("order_response")).order_response.status, "ACK")
  }).pipe(Random.withSeed("bytes"))
)

story("an error echoes the request unchanged, and echoes text that is not an object as a string", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const odd = { type: "add_order", params: { symbol: aapl }, id: [1, { deep: null }] }
    yield* client.send(odd)
    assert.deepEqual((yield* client.take("err")).err.incoming_message, odd)
    yield* client.sendText('hello "you"')
    assert.strictEqual((yield* client.take("err")).err.incoming_message, 'hello "you"')
  })
)

story("responds to a command about an unknown stop with an error that echoes the command", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.trade(yield* venue.user("alice"))
    const messages = [
      say("cancel_stop_order", { stop_order_id: "91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6" }),
      say("modify_stop_order", {
        stop_order_id: "91e6c0d8-2b7f-4a35-8d14-5c3f0b9e72a6",
        symbol: gold,
        price: 3382.5,
        quantity: 1
      })
    ]
    for (const message of messages) {
      yield* client.send(message)
      const { err } = yield* client.take("err")
      assert.strictEqual(err.error_code, "InvalidOrder")
      assert.deepEqual(err.incoming_message, message)
    }
    yield* client.send(limit("SELL", 1, 190, { order_type: "STOP_LOSS" }))
    assert.strictEqual((yield* client.take("order_response")).order_response.order_id, "")
  })
)
