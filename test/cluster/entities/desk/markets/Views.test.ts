/** Tests of requests for the views of many traders in one call. */
import * as Views from "@venue/cluster/entities/desk/markets/Views"
import type { TraderView } from "@venue/cluster/protocol/Market"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { assert, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { idOf, neighbours, one, turns, two, userId } from "../../../Neighbours.ts"

/** Traders that request a market's view, and the views that they adopted. */
const asking = (views: Views.Views) => {
  const taken: Array<string> = []
  const gone = new Set<number>()
  const ask = (n: number, takes: () => boolean = () => true, instrument = one) => {
    const userId = UserId.make(idOf(n).text)
    views.request(instrument.symbol, {
      viewer: () => ({ userId, traderEpoch: 1, accountIds: [primaryAccountOf(userId)] }),
      isWanted: () => !gone.has(n),
      take: (view: TraderView) => {
        assert.strictEqual(view.accounts[0]!.accountId, primaryAccountOf(userId))
        if (!takes()) return false
        taken.push(`${n} ${instrument.base}`)
        return true
      }
    })
  }
  return { ask, gone, taken }
}

const desk = (name: string, tell: (near: ReturnType<typeof neighbours>, views: Views.Views) => Effect.Effect<void>) =>
  it.effect(name, () => {
    const near = neighbours()
    return Effect.flatMap(Views.make, (views) => tell(near, views)).pipe(Effect.provide([near.layer, Logger.layer([])]))
  })

desk("combines the view requests of one event-loop turn into one call per market", (near, views) =>
  Effect.gen(function* () {
    near.answers(one)
    near.answers(two)
    const { ask, taken } = asking(views)
    for (const n of [1, 2, 3]) ask(n)
    ask(4, undefined, two)
    yield* turns
    assert.deepEqual(near.viewed, [3, 1])
    assert.deepEqual(taken.toSorted(), [`1 ${one.base}`, `2 ${one.base}`, `3 ${one.base}`, `4 ${two.base}`])
  })
)

desk("requests at most 256 views per call, and repeats the request for views missing in the response", (near, views) =>
  Effect.gen(function* () {
    near.answers(one)
    const { ask, taken } = asking(views)
    for (let n = 1; n <= 300; n++) ask(n)
    near.room.viewers = 200
    yield* turns
    assert.deepEqual(near.viewed, [256, 100])
    assert.lengthOf(new Set(taken), 300)
  })
)

desk("requests a new view only for the trader that rejected an outdated view", (near, views) =>
  Effect.gen(function* () {
    near.answers(one)
    const { ask, taken } = asking(views)
    let isFit = false
    ask(1)
    ask(2, () => isFit)
    yield* turns
    assert.deepEqual(near.viewed, [2])
    isFit = true
    yield* TestClock.adjust("1 second")
    assert.deepEqual(near.viewed, [2, 1])
    assert.deepEqual(taken, [`1 ${one.base}`, `2 ${one.base}`])
  })
)

desk("retries a market that does not respond without delaying other markets", (near, views) =>
  Effect.gen(function* () {
    near.heads.set(one.symbol, 1)
    near.answers(two)
    const { ask, gone, taken } = asking(views)
    ask(1)
    ask(2)
    ask(3, undefined, two)
    yield* TestClock.adjust("1 second")
    assert.deepEqual(taken, [`3 ${two.base}`])
    gone.add(2)
    near.answers(one)
    yield* TestClock.adjust("1 second")
    assert.deepEqual(taken, [`3 ${two.base}`, `1 ${one.base}`])
    const calls = near.viewed.length
    yield* TestClock.adjust("1 minute")
    assert.lengthOf(near.viewed, calls)
  })
)

desk("a trader whose view contradicts its ledger does not delay other traders' views", (near, views) =>
  Effect.gen(function* () {
    near.answers(one)
    const { ask, taken } = asking(views)
    ask(1, () => {
      throw new Error("contradicts")
    })
    ask(2)
    yield* TestClock.adjust("1 second")
    assert.deepEqual(near.viewed, [2])
    assert.deepEqual(taken, [`2 ${one.base}`])
  })
)

desk("logs an exception in a view request, and retries the request after 1 s", (near, views) =>
  Effect.gen(function* () {
    near.answers(one)
    const { ask, taken } = asking(views)
    let isBroken = true
    views.request(one.symbol, {
      viewer: () => {
        if (isBroken) throw new Error("a fault of ours")
        return { userId, traderEpoch: 1, accountIds: [primaryAccountOf(userId)] }
      },
      isWanted: () => true,
      take: () => taken.push("the one at fault") > 0
    })
    ask(1)
    yield* turns
    assert.deepEqual(taken, [])
    isBroken = false
    yield* TestClock.adjust("2 seconds")
    assert.deepEqual(taken, ["the one at fault", `1 ${one.base}`])
  })
)
