import { AccountId } from "@venue/domain/AccountId"
import type { TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import { aapl, cancel, friday, limit, say, story, told } from "./Story.ts"

type Venue = TestVenue["Service"]

const auth = (params: object) => ({ type: "auth", params })

/** Signs with explicit parameters, so that a test can make each part invalid. */
const signed = ({ publicKey, secretKey }: TestUser, nonce: string, unixSeconds: number) => ({
  public_key: publicKey,
  nonce,
  unix_ts: unixSeconds,
  signature: createHmac("sha256", secretKey).update(`${nonce}:${unixSeconds}`).digest("hex")
})

/** Returns the response to a first message with these parameters. */
const answer = Effect.fnUntraced(function* (venue: Venue, params: object) {
  const client = yield* venue.connect
  yield* client.send(auth(params))
  yield* venue.settle
  return { client, frames: yield* client.drain, closed: client.closedWith() }
})

const refused = Effect.fnUntraced(function* (venue: Venue, why: string, params: object) {
  const { closed, frames } = yield* answer(venue, params)
  assert.deepEqual(told(frames), ["PermissionDenied"], why)
  // Credentials are never echoed.
  assert.deepEqual(Object.keys(frames[0]!.err!), ["error_code", "message"], why)
  assert.strictEqual(closed?.code, 1008, why)
})

story("responds to a successful sign-in with one frame that contains both result and authenticated", (venue) =>
  Effect.gen(function* () {
    const { frames } = yield* answer(venue, { hmac: yield* venue.sign(yield* venue.user("alice")) })
    assert.deepEqual(frames, [{ type: "auth", result: "success", authenticated: true }])
  })
)

story(
  "responds to a wrong credential with PermissionDenied without an echo, and closes the socket with 1008",
  (venue) =>
    Effect.gen(function* () {
      const alice = yield* venue.user("alice")
      const bob = yield* venue.user("bob")
      const hmac = yield* venue.sign(alice)
      yield* refused(venue, "an unknown key", { hmac: { ...hmac, public_key: "svc_pub_nobody" } })
      yield* refused(venue, "a wrong signature", { hmac: { ...hmac, signature: "00".repeat(32) } })
      yield* refused(venue, "a signature of the wrong form", { hmac: { ...hmac, signature: "zz" } })
      yield* refused(venue, "another's secret", {
        hmac: signed({ ...alice, secretKey: bob.secretKey }, "ab", friday / 1000)
      })
      yield* refused(venue, "a nonce that is not hex", { hmac: signed(alice, "xyz", friday / 1000) })
      yield* refused(venue, "a nonce of 101 characters", { hmac: signed(alice, "a".repeat(101), friday / 1000) })
      yield* refused(venue, "an account of another", { hmac: yield* venue.sign(alice), account_id: bob.userId })
      yield* refused(venue, "an account of nobody", {
        hmac: yield* venue.sign(alice),
        account_id: "e41c7a90-3d52-4f0e-8b1a-6c9d0e2f4a77"
      })
      yield* refused(venue, "a token", { jwt: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIzYjBhIn0.c2ln" })
      yield* refused(venue, "an empty token", { jwt: "" })
    })
)

story("I36: accepts a nonce once per key, and consumes it only with a valid signature", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const bob = yield* venue.user("bob")
    const hmac = signed(alice, "c0ffee", friday / 1000)
    yield* refused(venue, "a forged signature", { hmac: { ...hmac, signature: "00".repeat(32) } })
    assert.deepEqual(told((yield* answer(venue, { hmac })).frames), ["type"])
    yield* refused(venue, "the same again", { hmac })
    yield* refused(venue, "in the other case", { hmac: signed(alice, "C0FFEE", friday / 1000) })
    assert.deepEqual(told((yield* answer(venue, { hmac: signed(bob, "c0ffee", friday / 1000) })).frames), ["type"])
  })
)

story("I37: accepts a time up to 300 seconds off in either direction, and refuses 301 seconds", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const now = friday / 1000
    for (const [at, seconds] of [now - 300, now + 300].entries()) {
      assert.deepEqual(told((yield* answer(venue, { hmac: signed(alice, `a${at}`, seconds) })).frames), ["type"])
    }
    yield* refused(venue, "too old", { hmac: signed(alice, "b1", now - 301) })
    yield* refused(venue, "too new", { hmac: signed(alice, "b2", now + 301) })
  })
)

story("responds to a malformed auth with InvalidJSONFormat, and allows another auth on the same connection", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const hmac = yield* venue.sign(alice)
    const client = yield* venue.connect
    const malformed = [
      {},
      { hmac, jwt: "x" },
      { api_key: "x" },
      { hmac: "x" },
      { jwt: 7 },
      { hmac: { ...hmac, unix_ts: `${hmac.unix_ts}s` } },
      { hmac: { ...hmac, unix_ts: 1.5 } },
      { hmac: { ...hmac, nonce: undefined } },
      { hmac, account_id: 7 }
    ]
    for (const params of malformed) {
      yield* client.send(auth(params))
      const { err } = yield* client.take("err")
      assert.strictEqual(err.error_code, "InvalidJSONFormat", JSON.stringify(params))
      assert.notInclude(JSON.stringify(err), hmac.signature)
    }
    assert.isUndefined(client.closedWith())
    yield* client.send(auth({ hmac }))
    yield* client.take("authenticated")
  })
)

story("responds to a second auth with AlreadyAuthenticated, and keeps the connection usable", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const client = yield* venue.trade(alice)
    yield* client.send(auth({ hmac: yield* venue.sign(alice) }))
    yield* client.send(limit("BUY", 1, 190))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["AlreadyAuthenticated", "ACK"])
    yield* client.send(auth({}))
    yield* client.send({ type: "auth" })
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["AlreadyAuthenticated", "AlreadyAuthenticated"])
  })
)

story("responds to every message before auth with PermissionDenied, and keeps the socket open", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.connect
    const messages = [
      limit("BUY", 1, 190),
      say("subscribe", { channels: ["fills"] }),
      say("get_user_orders"),
      say("add_order"),
      say("sing"),
      { type: "subscribe", channels: ["fills"] },
      {}
    ]
    for (const message of messages) {
      yield* client.send(message)
      const { err } = yield* client.take("err")
      assert.strictEqual(err.error_code, "PermissionDenied")
      assert.deepEqual(err.incoming_message, message)
    }
    for (const malformed of ["sing", "[]", `{"type":"auth","params":{}}`]) {
      yield* client.sendText(malformed)
      assert.strictEqual((yield* client.take("err")).err.error_code, "InvalidJSONFormat", malformed)
    }
    yield* client.send(auth({ hmac: yield* venue.sign(yield* venue.user("alice")) }))
    yield* client.take("authenticated")
  })
)

story("closes a connection that sends more than a thousand messages before auth", (venue) =>
  Effect.gen(function* () {
    const client = yield* venue.connect
    yield* client.sendAll(Array.from({ length: 1_000 }, () => ({})))
    yield* venue.settle
    assert.isUndefined(client.closedWith())
    yield* client.send({})
    assert.strictEqual(client.closedWith()?.code, 1008)
  })
)

story("closes a connection that has not signed in within 60 seconds, but not one that has", (venue) =>
  Effect.gen(function* () {
    const silent = yield* venue.connect
    const alice = yield* venue.trade(yield* venue.user("alice"), [])
    yield* TestClock.adjust("59 seconds")
    assert.isUndefined(silent.closedWith())
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(silent.closedWith()?.code, 1008)
    assert.isUndefined(alice.closedWith())
  })
)

story(
  "I48: queues up to 256 frames behind auth, and processes the frames in order after the response to auth",
  (venue) =>
    Effect.gen(function* () {
      const params = Effect.fnUntraced(function* (name: string) {
        // The trader is not loaded yet, so its journal must be read first.
        return { hmac: yield* venue.sign(yield* venue.user(name, 0)) }
      })
      const eager = yield* venue.connect
      yield* eager.sendAll([
        auth(yield* params("alice")),
        say("subscribe", { channels: ["order_responses"] }),
        say("get_user_orders"),
        ...Array.from({ length: 254 }, () => cancel("x"))
      ])
      assert.deepEqual(yield* eager.drain, [])
      yield* venue.settle
      assert.deepEqual(told(yield* eager.drain), [
        "type",
        "subscribed",
        "all_orders_response",
        ...Array.from({ length: 254 }, () => "NO_SUCH_ORDER")
      ])
      const flood = yield* venue.connect
      yield* flood.sendAll([auth(yield* params("bob")), ...Array.from({ length: 257 }, () => cancel("x"))])
      assert.strictEqual(flood.closedWith()?.code, 1008)
    })
)

story("I39: applies every command on a subaccount's connection to that subaccount", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const accountId = yield* venue.subaccount(alice, 5_000)
    const client = yield* venue.trade(alice, ["order_responses", "balances"], {
      accountId: AccountId.make(accountId.toUpperCase())
    })
    const { balance_response: balance } = yield* client.take("balance_response")
    assert.deepInclude(balance, { id: accountId, user_id: accountId, deposit: 5_000 })
    yield* client.send(limit("BUY", 1, 190))
    assert.strictEqual((yield* client.take("order_response")).order_response.user_id, accountId)
    const primary = yield* venue.trade(alice, [])
    yield* primary.send(say("get_user_orders"))
    assert.deepEqual((yield* primary.take("all_orders_response")).all_orders_response.orders, [])
  })
)

story("accepts a time given as a string, and treats an empty account id as the primary account", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const hmac = yield* venue.sign(alice)
    const { client, frames } = yield* answer(venue, {
      hmac: { ...hmac, unix_ts: String(hmac.unix_ts) },
      account_id: ""
    })
    assert.deepEqual(told(frames), ["type"])
    yield* client.send(say("subscribe", { channels: ["order_responses"] }))
    yield* client.send(limit("BUY", 1, 190))
    assert.strictEqual((yield* client.take("order_response")).order_response.user_id, alice.userId)
  })
)

story("I38: limits a key's commands and channels to the key's permissions", (venue) =>
  Effect.gen(function* () {
    const viewer = yield* venue.trade(yield* venue.user("viewer", 100, ["view_orders"]))
    const refusedMessages = [
      limit("BUY", 1, 190),
      say("cancel_all_orders"),
      say("cancel_on_disconnect", { cancel_on_disconnect: true }),
      say("set_user_leverage", { symbol: aapl, leverage: 2 }),
      say("get_user_leverage"),
      say("subscribe", { channels: ["fills", "balances"] })
    ]
    for (const message of refusedMessages) {
      yield* viewer.send(message)
      const { err } = yield* viewer.take("err")
      assert.strictEqual(err.error_code, "PermissionDenied")
      assert.deepEqual(err.incoming_message, message)
    }
    yield* viewer.send(say("get_user_orders"))
    yield* viewer.take("all_orders_response")
    const trader = yield* venue.trade(yield* venue.user("trader", 1_000, ["execute_orders"]), ["order_responses"])
    yield* trader.send(limit("BUY", 1, 190))
    assert.strictEqual((yield* trader.take("order_response")).order_response.status, "ACK")
    yield* trader.send(say("get_user_orders"))
    assert.strictEqual((yield* trader.take("err")).err.error_code, "PermissionDenied")
  })
)

story("subscribes to the permitted channels, and sends one error per error code for the other channels", (venue) =>
  Effect.gen(function* () {
    const viewer = yield* venue.trade(yield* venue.user("viewer", 100, ["view_orders"]), [])
    const asked = ["balances", "fills", "nonsense", "funding", "positions", "order_responses"]
    const message = say("subscribe", { channels: asked, symbols: ["FOO-USD"] })
    yield* viewer.send(message)
    yield* venue.settle
    const frames = yield* viewer.drain
    assert.deepEqual(told(frames), [
      "subscribed",
      "subscribed",
      "PermissionDenied",
      "InvalidJSONFormat",
      "InvalidParameter"
    ])
    assert.deepEqual(
      frames.flatMap(({ subscribed }) => subscribed ?? []),
      ["fills", "order_responses"]
    )
    const [denied, unknown] = frames.flatMap(({ err }) => err ?? [])
    assert.deepEqual(denied, {
      error_code: "PermissionDenied",
      message: "this key is not allowed to subscribe to balances, positions",
      incoming_message: message
    })
    assert.include(unknown?.message, 'got "nonsense"')
    yield* viewer.send(say("unsubscribe", { channels: ["nonsense", "fills", "balances"] }))
    yield* venue.settle
    assert.deepEqual(told(yield* viewer.drain), ["unsubscribed", "unsubscribed", "InvalidJSONFormat"])
  })
)

story("sends the balance to a key that is allowed to read balances or positions", (venue) =>
  Effect.gen(function* () {
    for (const permission of ["view_balance", "view_positions"] as const) {
      const key = yield* venue.user(permission, 5_000, [permission])
      const { balance_response: balance } = yield* (yield* venue.trade(key, ["balances"])).take("balance_response")
      assert.strictEqual(balance.deposit, 5_000)
    }
    const other = yield* venue.trade(yield* venue.user("trader", 5_000, ["view_orders", "execute_orders"]), [])
    yield* other.send(say("subscribe", { channels: ["balances"] }))
    assert.strictEqual((yield* other.take("err")).err.error_code, "PermissionDenied")
  })
)

story("rule 6.11: allows a user 20 connections, and refuses another", (venue) =>
  Effect.gen(function* () {
    const alice = yield* venue.user("alice")
    const held = yield* Effect.forEach(Array.from({ length: 20 }), () => venue.trade(alice, []))
    const { closed, frames } = yield* answer(venue, { hmac: yield* venue.sign(alice) })
    assert.deepEqual(told(frames), ["RateLimited"])
    assert.strictEqual(closed?.code, 1008)
    yield* held[0]!.close
    yield* venue.trade(alice, [])
  })
)
