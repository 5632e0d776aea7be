/**
 * Tests of a gateway that receives no revocations. It refuses commands that add risk, and closes its connections
 * after 10 s.
 */
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Revocations } from "@venue/storage/access/Revocations"
import * as Client from "@venue/testing/Client"
import { layerMemory, type TestUser, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { aapl, cancel, friday, limit, market, modify, say, told } from "../../venue/Story.ts"

/** Second gateway of the venue, for which the test sets the age of the revocations. */
const gateway = Effect.gen(function* () {
  const inner = yield* Revocations
  const observers = new Set<() => void>()
  const revocations = { ageMillis: 0, lose: () => observers.forEach((observe) => observe()) }
  const context = yield* Layer.build(Layer.fresh(TradeGateway.layer)).pipe(
    Effect.provideService(
      Revocations,
      Revocations.of({
        ...inner,
        delayMillis: () => revocations.ageMillis,
        whenDelayed: (observe) => Effect.sync(() => void observers.add(observe))
      })
    )
  )
  const opened = Context.get(context, TradeGateway)
  const connect = Client.open((transport) => opened.open(transport, ""))
  const venue = yield* TestVenue
  const trade = (user: TestUser) =>
    venue.trade(user, ["order_responses", "stop_orders"], {
      gateway: { connect }
    })
  return { revocations, trade }
})

const story = <E>(name: string, tell: Effect.Effect<void, E, Layer.Success<typeof layerMemory> | Scope.Scope>) =>
  it.effect(name, () =>
    Effect.andThen(
      TestClock.setTime(friday),
      Effect.andThen(
        Effect.flatMap(TestVenue, (venue) => venue.price(aapl, 200)),
        Effect.scoped(tell)
      ).pipe(Effect.provide(layerMemory))
    )
  )

const twap = (more: object) =>
  say("add_twap", {
    symbol: aapl,
    side: "SELL",
    total_quantity: 2,
    num_orders: 2,
    order_interval_secs: 60,
    reduce_only: false,
    ...more
  })

story(
  "I40: executes only commands that reduce risk while revocations are more than 3 s out of date",
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const { revocations, trade } = yield* gateway
    const maker = yield* venue.trade(yield* venue.user("maker"))
    yield* maker.sendAll([limit("SELL", 5, 200), limit("BUY", 5, 199)])
    const client = yield* trade(yield* venue.user("alice"))
    yield* client.send(limit("BUY", 3, 200))
    yield* client.send(limit("BUY", 1, 190))
    yield* venue.settle
    const orders = (yield* client.drain).flatMap((frame) => frame.order_response ?? [])
    const resting = orders.find(({ status, price }) => status === "ACK" && price === 190)!

    revocations.ageMillis = 3_000
    yield* client.send(limit("BUY", 1, 191))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK"])

    revocations.ageMillis = 3_001
    const risky = [
      limit("BUY", 1, 192),
      market("SELL", 1),
      modify(resting, { quantity: 2, price: 190 }),
      twap({}),
      say("set_user_leverage", { symbol: aapl, leverage: 5 })
    ]
    for (const frame of risky) {
      yield* client.send(frame)
      const { err } = yield* client.take("err")
      assert.strictEqual(err.error_code, "ServerError", JSON.stringify(frame))
      assert.match(err.message, /revoked credentials.*nothing was done, try again/)
    }
    yield* client.send(market("SELL", 1, { reduce_only: true }))
    yield* client.send(say("get_user_orders"))
    yield* client.send(cancel(resting.order_id))
    yield* client.send(say("close_position", { symbol: aapl }))
    yield* client.send(say("cancel_all_orders"))
    yield* venue.settle
    const done = told(yield* client.drain)
    assert.notInclude(done, "ServerError")
    assert.deepEqual(
      done.filter((status) => status === "FILLED" || status === "CANCELLED"),
      ["FILLED", "CANCELLED", "FILLED", "CANCELLED"]
    )

    revocations.ageMillis = 0
    yield* client.send(limit("BUY", 1, 192))
    yield* venue.settle
    assert.deepEqual(told(yield* client.drain), ["ACK"])
  })
)

story(
  "I40: closes all sockets after 10 s without revocations, and accepts new connections later",
  Effect.gen(function* () {
    const venue = yield* TestVenue
    const { revocations, trade } = yield* gateway
    const user = yield* venue.user("alice")
    const lost = yield* trade(user)
    const other = yield* venue.trade(user)
    revocations.lose()
    yield* venue.settle
    assert.strictEqual(lost.closedWith()?.code, 1013)
    assert.match(lost.closedWith()!.reason, /revocations/)
    assert.isUndefined(other.closedWith())
    const again = yield* trade(user)
    yield* again.send(limit("BUY", 1, 190))
    yield* venue.settle
    assert.deepEqual(told(yield* again.drain), ["ACK"])
  })
)
