/** Tests of a market's log and its clock, while the market is idle and while another node takes it over. */
import * as MarketClock from "@venue/cluster/entities/market/MarketClock"
import * as MarketLog from "@venue/cluster/entities/market/MarketLog"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { hourMillis } from "@venue/domain/Funding"
import type { MarketCommand, MarketEvent } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { Journal } from "@venue/journal/Journal"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { idOf, one, turns, venue } from "../../Neighbours.ts"

const testLayer = Layer.provideMerge(Layer.mergeAll(Journal.layerMemory, Logger.layer([])), venue)

/** 10:00 in New York on a Friday. */
const friday = Date.UTC(2026, 10, 20, 15)

const serve = Effect.gen(function* () {
  const events: Array<MarketEvent> = []
  const log = yield* MarketLog.make(one, Effect.succeed(true))
  log.observe({ committed: (batch) => void events.push(...batch.events) })
  yield* MarketClock.start(log)
  const say = (...commands: ReadonlyArray<MarketCommand>) => {
    log.submit(commands, () => {})
    return turns
  }
  return { events, log, say }
})

const long = UserId.make("00000000-0000-4000-8000-00000000000a")
const short = UserId.make("00000000-0000-4000-8000-00000000000b")

const order = (n: number, userId: UserId, side: "BUY" | "SELL", price: number, quantity: number): MarketCommand => ({
  _tag: "Place",
  commandId: idOf(n),
  expiresAtMillis: friday + hourMillis,
  traderEpoch: 1,
  userId,
  accountId: primaryAccountOf(userId),
  makerRate: 0,
  takerRate: 0,
  maxNotional: 1e15,
  leverage: 10,
  finding: null,
  side,
  type: "LIMIT",
  timeInForce: "GTC",
  priceTicks: Math.round(price * 100),
  quantityLots: quantity * 1_000,
  reduceOnly: false,
  clientOrderId: "",
  builderCode: "",
  origin: "USER"
})

/** Orders that create a long and a short position of 50 at 204, and a bid 25 basis points above 204. */
const trading: ReadonlyArray<MarketCommand> = [
  { _tag: "Observe", priceE8: 204_00000000, teller: "operator" },
  order(1, short, "SELL", 204, 50),
  order(2, long, "BUY", 204, 50),
  order(3, long, "BUY", 204.51, 60)
]

const funding = ({ log }: { readonly log: MarketLog.MarketLog }) =>
  Effect.map(
    log.asOf((engine) => [long, short].map((userId) => Engine.view(engine, primaryAccountOf(userId)).position.funding)),
    ({ value }) => value
  )

it.effect("I32: an idle market records one event per hour", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(friday)
    const market = yield* serve
    yield* market.say(...trading)
    yield* TestClock.adjust("59 minutes")
    yield* turns
    const before = market.events.length
    for (let hours = 1; hours <= 5; hours++) {
      yield* TestClock.adjust("1 hour")
      yield* turns
    }
    assert.deepEqual(
      market.events.slice(before).map(({ _tag, atMillis }) => [_tag, (atMillis - friday) / hourMillis]),
      [1, 2, 3, 4, 5].map((hour) => ["Funded", hour])
    )
    assert.deepEqual(yield* funding(market), [-5 * 204_000, 5 * 204_000])
  }).pipe(Effect.scoped, Effect.provide(testLayer))
)

it.effect(
  "I32: pays funding once if a market loses its owner before the hour ends and gets a new owner afterwards",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(friday)
      yield* Effect.gen(function* () {
        const market = yield* serve
        yield* market.say(...trading)
        yield* TestClock.adjust(hourMillis - 2_000)
      }).pipe(Effect.scoped)
      yield* TestClock.adjust("6 seconds")
      for (let owners = 0; owners < 3; owners++) {
        yield* Effect.gen(function* () {
          const market = yield* serve
          yield* TestClock.adjust("2 seconds")
          yield* turns
          assert.deepEqual(yield* funding(market), [-204_000, 204_000])
        }).pipe(Effect.scoped)
      }
    }).pipe(Effect.provide(testLayer))
)
