/** Tests of random TWAPs at a desk that is killed repeatedly, on a market with a real engine. */
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import * as Twaps from "@venue/cluster/entities/desk/orders/Twaps"
import type { Trader } from "@venue/cluster/entities/desk/traders/Trader"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { type AddTwap, childId } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { id } from "../../../../Id.ts"
import { chanceOf } from "../../../../matching/Chance.ts"
import { Scene } from "../../../../matching/EngineScene.ts"
import { makeMarket } from "../../../EngineMarket.ts"
import { one, turns, venue } from "../../../Neighbours.ts"

const friday = Date.UTC(2026, 10, 20, 15)

const users = Array.from({ length: 10 }, (_, n) => UserId.make(id(`twap user ${n}`).text))

/** A desk with loaded traders. */
const begin = Effect.gen(function* () {
  const scope = yield* Scope.make()
  const desk = yield* Effect.gen(function* () {
    const traders = yield* Traders.make(Effect.succeed(true))
    return { traders, twaps: yield* Twaps.make(traders) }
  }).pipe(Scope.provide(scope))
  const awake: Array<Trader> = []
  for (const userId of users) awake.push(yield* desk.traders.wake(userId))
  yield* turns
  return { ...desk, awake, kill: Scope.close(scope, Exit.void) }
})

it.effect(
  "I31: 1,000 TWAPs continue without duplicate slices whenever their owner is killed",
  () => {
    const market = makeMarket()
    const { decide, log, near } = market
    const testLayer = Layer.mergeAll(market.layer, Journal.layerMemory, ReadTables.layerMemory)
    const { percent, pick, whole } = chanceOf(31)
    return Effect.gen(function* () {
      yield* TestClock.setTime(friday)
      const house = new Scene(null)
      const now = Clock.currentTimeMillis
      const offer = Effect.map(now, (nowMillis) => {
        const expiresAtMillis = nowMillis + 60_000
        for (const side of ["SELL", "BUY"] as const) {
          const price = side === "SELL" ? 200 : 199
          decide({ ...house.placing(side, whole(1, 200), price, { account: "house" }), expiresAtMillis }, nowMillis)
        }
      })
      decide({ _tag: "Observe", priceE8: 200e8, teller: "operator" }, yield* now)
      let desk = yield* begin
      for (const trader of desk.awake) {
        const accountId = primaryAccountOf(trader.userId)
        const amount = 1_000_000_000_000n
        trader.change({ _tag: "Credit", creditId: trader.userId, accountId, amount, reason: "" }, () => {})
      }
      const added = new Set<string>()
      let kills = 0
      const add = Effect.map(now, (nowMillis) => {
        const trader = pick(...desk.awake)
        const slices = whole(2, 5)
        const request: AddTwap = {
          _tag: "AddTwap",
          commandId: id(`twap ${added.size}`),
          expiresAtMillis: nowMillis + 5_000,
          accountId: primaryAccountOf(trader.userId),
          symbol: one.symbol,
          side: pick("BUY", "SELL"),
          totalQuantity: slices / 10 + whole(0, 99) / 1_000,
          slices,
          intervalSeconds: whole(30, 60),
          reduceOnly: percent(10),
          clientTwapId: "",
          startMillis: percent(30) ? nowMillis + whole(0, 60_000) : 0,
          worstPrice: percent(20) ? 199.5 : 0,
          builderCode: ""
        }
        if (desk.twaps.add(trader, request) === undefined) added.add(request.commandId.text)
      })
      /** Delivers some of the sent commands. */
      const deliver = (share: number) =>
        Effect.map(now, (nowMillis) => {
          const count = Math.ceil(near.submitted.length * share)
          for (const { command } of near.submitted.splice(0, count)) decide(command, nowMillis)
        })
      const step = Effect.gen(function* () {
        if (percent(60)) yield* offer
        if (percent(5)) decide({ _tag: "SetTradingState", state: "CANCEL_ONLY" }, yield* now)
        else decide({ _tag: "SetTradingState", state: "TRADING" }, yield* now)
        yield* TestClock.adjust(whole(1, 12_000))
        yield* turns
        yield* deliver(percent(80) ? 1 : 0.5)
        yield* turns
        if (!percent(8)) return
        kills++
        yield* desk.kill
        // Commands in flight arrive late or never.
        if (percent(50)) near.submitted.splice(0, whole(0, near.submitted.length))
        desk = yield* begin
      })

      while (added.size < 1_000) {
        for (let count = whole(0, 8); count > 0 && added.size < 1_000; count--) {
          yield* add
          if (percent(50)) yield* turns
        }
        yield* step
        if (percent(10)) {
          const trader = pick(...desk.awake)
          const [first] = trader.ledger.twaps.values()
          const twapId = first?.terms.twapId ?? "none"
          const cancel = {
            accountId: primaryAccountOf(trader.userId),
            symbol: one.symbol,
            byClientTwapId: false,
            twapId
          }
          const expiresAtMillis = (yield* now) + 5_000
          desk.twaps.cancel(trader, {
            _tag: "CancelTwap",
            commandId: id(`cancel ${log.length}`),
            expiresAtMillis,
            ...cancel
          })
        }
      }
      const left = () => desk.awake.reduce((sum, { ledger }) => sum + ledger.twaps.size, 0)
      for (let steps = 0; left() > 0 && steps < 500; steps++) yield* step
      assert.strictEqual(left(), 0, "all are over, in the journal too")
      assert.isAbove(kills, 20)
      const { wakeUps } = yield* Journal
      assert.deepEqual(
        (yield* wakeUps("0")).filter(({ reason }) => reason === "twap"),
        []
      )
      check(log)
    }).pipe(Effect.provide(Layer.provideMerge(testLayer, venue)))
  },
  900_000
)

/**
 * Asserts that each child order belongs to a slice and arrives in that slice's time, that each slice has at most one
 * child, and that fills stay within the TWAP's quantity.
 */
const check = (log: ReadonlyArray<MarketEvent>) => {
  const opened = log.filter((event) => event._tag === "TwapOpened").map(({ twap }) => twap)
  const closed = log.filter((event) => event._tag === "TwapClosed").map(({ twap }) => twap)
  assert.lengthOf(new Set(opened.map(({ twapId }) => twapId)), opened.length)
  assert.sameMembers(
    closed.map(({ twapId }) => twapId),
    opened.map(({ twapId }) => twapId)
  )
  assert.isAbove(opened.length, 900)
  const filled = new Map<string, number>()
  const placedAt = new Map<string, number>()
  for (const event of log) {
    if (event._tag === "Accepted" && event.order.origin === "TWAP") {
      assert.isFalse(placedAt.has(event.order.orderId.text), "a child is placed once")
      placedAt.set(event.order.orderId.text, event.atMillis)
    }
    if (event._tag !== "Traded") continue
    const { text } = event.taker.order.orderId
    filled.set(text, (filled.get(text) ?? 0) + event.quantityLots)
  }
  let children = 0
  for (const twap of closed) {
    let lots = 0
    for (let slice = 1; slice <= twap.slices; slice++) {
      const child = childId(twap.twapId, slice).text
      lots += filled.get(child) ?? 0
      const atMillis = placedAt.get(child)
      if (atMillis === undefined) continue
      children++
      const due = twap.startMillis + (slice - 1) * twap.intervalMillis
      assert.isAtLeast(atMillis, due)
      // A command can arrive at any time before it expires.
      assert.isAtMost(atMillis, due + twap.intervalMillis + 5_000)
    }
    assert.strictEqual(twap.filledLots, lots)
    assert.isAtMost(lots, twap.totalLots)
  }
  assert.strictEqual(children, placedAt.size, "no child is of no slice")
  assert.isAbove(children, 1_500)
}
