/**
 * Tests of random dead-man switches at a desk that is killed and replaced repeatedly, on a market with a real engine.
 */
import { primaryAccountOf } from "@venue/domain/AccountId"
import { dueMillis } from "@venue/domain/DeadManSwitch"
import type { MarketEvent } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import { Journal } from "@venue/journal/Journal"
import * as Engine from "@venue/matching/Engine"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { id } from "../../../Id.ts"
import { chanceOf } from "../../../matching/Chance.ts"
import { makeMarket } from "../../EngineMarket.ts"
import { turns, venue } from "../../Neighbours.ts"
import { begin, type Desk, enter, friday, pass, placed, switchesOf, wakeUps } from "./DeadManDesk.ts"

const users = Array.from({ length: 8 }, (_, n) => UserId.make(id(`switch user ${n}`).text))

/** The state of a client's switch and orders, as far as the client knows it. */
interface Known {
  /** Requests with the time sent, the due time, and the time of the reply if one arrived. */
  readonly words: Array<{ readonly asked: number; readonly due: number; answered: number }>
  /** Times at which the client placed the orders that are not cancelled. Some orders were lost in flight. */
  readonly orders: Map<string, number>
}

it.effect(
  "I55: fires no dead-man switch before its confirmed time, even if the desk's owner crashes or has outdated state",
  () => {
    const market = makeMarket()
    const { decide, log, near } = market
    const { percent, pick, whole } = chanceOf(55)
    const known = new Map(users.map((user): [UserId, Known] => [user, { words: [], orders: new Map() }]))
    const now = Clock.currentTimeMillis
    let [kills, left, number] = [0, 0, 0]

    /**
     * Asserts that a switch fired no earlier than the newest confirmed request, or an unconfirmed later one, made it
     * due, and that the cancelled orders were open.
     */
    const check = Effect.fnUntraced(function* (events: ReadonlyArray<MarketEvent>) {
      for (const event of events) {
        if (event._tag !== "Ended") continue
        const { orderId, userId } = event.order
        const { orders, words } = known.get(userId)!
        const fired = (yield* switchesOf(userId)).findLast(({ firedMillis }) => firedMillis !== 0)!.firedMillis
        const newest = Math.max(...words.filter(({ answered }) => answered < fired).map(({ asked }) => asked))
        // A request without a reply might already be in effect.
        assert.isTrue(
          words.some(({ asked, due }) => asked >= newest && due !== 0 && due <= fired),
          "what was answered has held"
        )
        assert.isAtMost(orders.get(orderId.text)!, fired, "what came after it is spared")
        orders.delete(orderId.text)
      }
    })
    const deliver = Effect.gen(function* () {
      const from = log.length
      const nowMillis = yield* now
      const delivered = near.submitted.splice(0)
      for (const { command } of delivered) decide(command, nowMillis)
      yield* turns
      yield* check(log.slice(from))
      return delivered.some(({ command }) => command._tag === "CancelAll")
    })
    return Effect.gen(function* () {
      yield* TestClock.setTime(friday)
      decide({ _tag: "Observe", priceE8: 200e8, teller: "operator" }, yield* now)
      let on = yield* begin
      let former: Desk | undefined
      for (const user of users) {
        const trader = yield* on.traders.wake(user)
        const credit = { accountId: primaryAccountOf(user), amount: 1_000_000_000_000n, reason: "" }
        trader.change({ _tag: "Credit", creditId: user, ...credit }, () => {})
      }
      const ask = Effect.fnUntraced(function* (user: UserId) {
        const trader = on.traders.get(user)
        if (trader === undefined) return
        const timeoutSeconds = percent(10) ? 0 : whole(5, 15)
        const askedMillis = yield* now
        const word = { asked: askedMillis, due: dueMillis(askedMillis, timeoutSeconds), answered: Infinity }
        known.get(user)!.words.push(word)
        const clock = yield* Clock.Clock
        const command = { accountId: primaryAccountOf(user), askedMillis, timeoutSeconds }
        trader.change({ _tag: "SetDeadManSwitch", ...command }, (result) => {
          if (Result.isSuccess(result)) word.answered = clock.currentTimeMillisUnsafe()
        })
      })
      const place = Effect.fnUntraced(function* (user: UserId) {
        const trader = on.traders.get(user)
        if (trader === undefined) return
        const request = placed(`order ${number++}`, primaryAccountOf(user), yield* now)
        enter(on, trader, request)
        known.get(user)!.orders.set(request.commandId.text, yield* now)
      })
      const move = Effect.gen(function* () {
        kills++
        if (former !== undefined) yield* former.kill
        former = undefined
        on.owned.is = false
        if (percent(50)) {
          yield* on.kill
          // Commands in flight are lost.
          near.submitted.length = 0
        } else former = on
        on = yield* begin
      })
      for (let step = 0; step < 500; step++) {
        for (let count = whole(0, 4); count > 0; count--) yield* ask(pick(...users))
        for (let count = whole(0, 4); count > 0; count--) yield* place(pick(...users))
        if (percent(70)) yield* turns
        const hasFired = percent(70) && (yield* deliver)
        if (hasFired && percent(50)) {
          // The orders arrive after the cancel and before the outcome of the cancel is known.
          for (const user of users) yield* place(user)
          yield* deliver
          yield* move
        } else if (percent(5)) yield* move
        yield* pass(whole(1, 1_500))
      }
      // No further requests are sent.
      for (let second = 0; second < 30; second++) {
        if (second === 25) for (const user of users) yield* place(user)
        yield* deliver
        yield* pass(1_000)
      }
      for (const user of users) {
        const events = yield* switchesOf(user)
        const last = events.findLast(({ firedMillis }) => firedMillis !== 0)!.firedMillis
        for (const { orderId } of Engine.view(market.engine, primaryAccountOf(user)).orders) {
          left++
          assert.isAbove(known.get(user)!.orders.get(orderId.text)!, last, "nothing is left of what was there")
        }
        assert.deepInclude(events.at(-1), { dueMillis: 0, firedMillis: 0 })
      }
      assert.deepEqual(yield* wakeUps, [])
      const ended = log.filter(({ _tag }) => _tag === "Ended").length
      assert.isAtLeast(left, users.length)
      assert.isAbove(kills, 40)
      assert.isAbove(ended, 900)
    }).pipe(
      Effect.provide(
        Layer.mergeAll(market.layer, Journal.layerMemory, ReadTables.layerMemory, Logger.layer([])).pipe(
          Layer.provideMerge(venue)
        )
      )
    )
  },
  900_000
)
