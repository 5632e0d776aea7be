/** Tests of connections to a gateway that shuts down. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { limit, say, story, told } from "../../venue/Story.ts"

story(
  "when the gateway shuts down, closes idle connections immediately and busy connections after their next reply",
  (venue) =>
    Effect.gen(function* () {
      const gateway = yield* venue.gateway
      const user = yield* venue.user("alice")
      const quiet = yield* venue.trade(user, [], { gateway })
      yield* TestClock.adjust("1 second")
      const busy = yield* venue.trade(user, undefined, { gateway })
      const refused = yield* venue.trade(user, [], { gateway })
      yield* Effect.forkScoped(gateway.drain)
      yield* TestClock.adjust("20 millis")
      assert.strictEqual(quiet.closedWith()?.code, 1001)
      yield* TestClock.adjust("800 millis")
      assert.isUndefined(busy.closedWith())

      yield* busy.send(limit("BUY", 1, 190))
      yield* refused.send(say("get_order", { symbol: "MOON-USD" }))
      yield* venue.settle
      assert.deepEqual(told(yield* busy.drain), ["ACK"])
      assert.strictEqual((yield* refused.drain).length, 1)
      assert.deepEqual([busy.closedWith()?.code, refused.closedWith()?.code], [1001, 1001])
    })
)

story("refuses new commands if replies are still outstanding 2 s after the gateway began to shut down", (venue) =>
  Effect.gen(function* () {
    const gateway = yield* venue.gateway
    const user = yield* venue.user("alice")
    const client = yield* venue.trade(user, undefined, { gateway })
    yield* gateway.cutFrom(user.userId)
    yield* Effect.forkScoped(gateway.drain)
    yield* client.send(limit("BUY", 1, 190, { client_order_id: "taken" }))
    yield* TestClock.adjust("1900 millis")
    yield* client.send(limit("BUY", 1, 191, { client_order_id: "taken too" }))
    yield* venue.settle
    assert.deepEqual(yield* client.drain, [])
    yield* TestClock.adjust("200 millis")
    yield* client.send(limit("BUY", 1, 190, { client_order_id: "late" }))
    assert.deepEqual(
      (yield* client.drain).map(({ err }) => err?.message),
      ["the venue is shutting down; nothing was done"]
    )
    // The desk is disconnected, so its replies never arrive.
    yield* TestClock.adjust("10 seconds")
    const last = yield* client.drain
    assert.isAbove(last.length, 0)
    assert.isTrue(last.every(({ err }) => err?.error_code === "ServerError"))
    assert.strictEqual(client.closedWith()?.code, 1001)
  })
)
