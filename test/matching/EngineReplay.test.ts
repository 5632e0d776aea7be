/** Replaying the events leaves the same state as the original decisions. */
import { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import { type OrderId, orderIdFrom } from "@venue/domain/OrderId"
import * as Engine from "@venue/matching/Engine"
import * as Position from "@venue/domain/Position"
import { assert, describe, it } from "@effect/vitest"
import { Packr } from "msgpackr"
import { id } from "../Id.ts"
import { apple, lots, Scene, ticks, usd } from "./EngineScene.ts"

describe("I6: replay", () => {
  it("replay from the first event leaves the live hash after every kind of command", () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { engine, events } = wander(seed, 400)
      assert.strictEqual(Engine.hash(replayed(events)), Engine.hash(engine), `seed ${seed}`)
    }
  })

  it("replay of later events on an encoded snapshot leaves the live hash", () => {
    const packr = new Packr()
    for (let seed = 1; seed <= 10; seed++) {
      const scene = wander(seed, 300)
      const stored = packr.unpack(packr.pack(Engine.snapshot(scene.engine))) as Engine.Snapshot
      const restored = Engine.restore(apple, Engine.defaults, stored)
      assert.strictEqual(Engine.hash(restored), Engine.hash(scene.engine), `seed ${seed}`)
      assert.deepStrictEqual(Engine.touched(restored), [])
      const before = scene.events.length
      wander(seed + 1_000, 300, scene)
      for (const event of scene.events.slice(before)) Engine.apply(restored, event)
      assert.strictEqual(Engine.hash(restored), Engine.hash(scene.engine), `seed ${seed} and tail`)
    }
  })

  it("a replayed market makes the same decisions as the live market", () => {
    const scene = wander(7, 500)
    const again = new Scene(NaN)
    again.engine = replayed(scene.events)
    const restored = new Scene(NaN)
    restored.engine = Engine.restore(apple, Engine.defaults, Engine.snapshot(scene.engine))
    again.now = restored.now = scene.now
    const lengths = [scene, again, restored].map(({ events }) => events.length)
    for (const each of [scene, again, restored]) wander(8, 200, each, "next")
    const tails = [scene, again, restored].map(({ events }, i) => events.slice(lengths[i]))
    assert.deepStrictEqual(tails[1], tails[0])
    assert.deepStrictEqual(tails[2], tails[0])
  })

  it("the hash distinguishes states that differ only in the priority of one order", () => {
    const hashes = [
      ["a", "b"],
      ["b", "a"]
    ].map((accounts) => {
      const scene = new Scene()
      accounts.forEach((account) => scene.buy(1, 199, { account, id: id(`order-of-${account}`) }))
      return Engine.hash(scene.engine)
    })
    assert.notStrictEqual(hashes[0], hashes[1])
  })
})

describe("random commands, checked at every step", () => {
  it("I24 I25 I26 I33: books are never crossed, sums are zero, and reduce-only orders fit their positions", () => {
    for (let seed = 100; seed < 110; seed++) {
      const scene = new Scene()
      for (let step = 0; step < 60; step++) {
        wander(seed * 100 + step, 5, scene, `${step}`)
        const { askTicks, bidTicks } = Engine.best(scene.engine)
        assert.isTrue(bidTicks === undefined || askTicks === undefined || bidTicks < askTicks)
        const { cash, positions } = Engine.totals(scene.engine)
        assert.deepStrictEqual([positions, cash], [0, 0])
        for (const account of accounts) {
          const { orders, position } = Engine.view(scene.engine, AccountId.make(account))
          const reducing = orders.filter((order) => order.reduceOnly)
          const sum = reducing.reduce(
            (lots, { remainingLots, side }) => lots + (side === "BUY" ? -remainingLots : remainingLots),
            0
          )
          assert.isTrue(reducing.length === 0 || Math.sign(sum) === Math.sign(position.quantityLots))
          assert.isAtMost(Math.abs(sum), Math.abs(position.quantityLots))
        }
      }
    }
  })

  it("the sums of the fills equal the market's positions", () => {
    const { engine, events } = wander(42, 1_500)
    const folded = new Map(accounts.map((account) => [account, Position.flat()]))
    for (const event of events) {
      if (event._tag !== "Traded") continue
      for (const { fee, order, realised } of [event.maker, event.taker]) {
        const position = folded.get(order.accountId)!
        assert.strictEqual(Position.fill(position, order.side, event.quantityLots, event.notional, fee), realised)
      }
    }
    for (const account of accounts)
      assert.deepStrictEqual(Engine.view(engine, AccountId.make(account)).position, folded.get(account))
  })

  it("I21: no order trades more than its quantity, and no trade id repeats", () => {
    const { events } = wander(43, 1_500)
    const filled = new Map<string, number>()
    const ids = new Set<string>()
    let trades = 0
    for (const event of events) {
      if (event._tag !== "Traded") continue
      trades++
      ids.add(event.tradeId.text)
      for (const { order } of [event.maker, event.taker]) {
        const sum = (filled.get(order.orderId.text) ?? 0) + event.quantityLots
        filled.set(order.orderId.text, sum)
        assert.strictEqual(order.quantityLots - order.remainingLots, sum)
      }
    }
    assert.isAbove(trades, 150)
    assert.strictEqual(ids.size, trades)
  })
})

const users = ["alice", "bob", "carol"]
const accounts = users.flatMap((user) => [user, `${user}-2`])

/** Commands of every kind at prices near the touch, from a seed. */
function wander(seed: number, steps: number, scene = new Scene(), names = "order"): Scene {
  let state = (seed * 2_654_435_761) >>> 0
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let h = Math.imul(state ^ (state >>> 15), state | 1)
    h ^= h + Math.imul(h ^ (h >>> 7), h | 61)
    return ((h ^ (h >>> 14)) >>> 0) % limit
  }
  const open: Array<OrderId> = []
  for (let step = 0; step < steps; step++) {
    scene.now += below(400)
    const user = users[below(users.length)]!
    const who = { id: id(`${names}-${seed}-${step}`), user, account: below(2) === 0 ? user : `${user}-2` }
    const side = below(2) === 0 ? "BUY" : "SELL"
    if (below(8) === 0) scene.ask({ _tag: "SetTradingState", state: "TRADING" })
    else if (below(60) === 0) scene.ask({ _tag: "SetTradingState", state: below(2) === 0 ? "CANCEL_ONLY" : "HALTED" })
    const target = { ...who, side, priceTicks: ticks(199.9) + below(20), quantityLots: lots(1 + below(9)) } as const
    switch (below(10)) {
      case 0:
        scene.cancel(open[below(open.length + 1)] ?? orderIdFrom(id("none")), who)
        break
      case 1:
        scene.modify(open[below(open.length + 1)] ?? orderIdFrom(id("none")), target)
        break
      case 2:
        if (below(4) === 0) scene.cancelAll(who)
        else scene.close(who)
        break
      case 3:
        scene.ask(
          below(2) === 0
            ? { _tag: "Tick" }
            : { _tag: "Observe", priceE8: usd(199.9) + below(20) * 1_000_000, teller: "operator" }
        )
        break
      case 4:
        scene.cancelNamed(`tag-${below(3)}`, who)
        break
      default: {
        const [type, timeInForce] = kinds[below(kinds.length)]!
        const over = { ...who, type, timeInForce, reduceOnly: below(3) === 0, clientOrderId: `tag-${below(3)}` }
        const events = scene.place(side, 1 + below(9), 199.9 + below(20) / 100, over)
        for (const event of events) if (event._tag === "Accepted") open.push(event.order.orderId)
      }
    }
  }
  return scene
}

const kinds = [
  ["LIMIT", "GTC"],
  ["LIMIT", "GTC"],
  ["LIMIT", "GTC"],
  ["LIMIT", "IOC"],
  ["LIMIT", "FOK"],
  ["MARKET", "IOC"],
  ["ALO", "GTC"]
] as const

function replayed(events: ReadonlyArray<MarketEvent>): Engine.Engine {
  const engine = Engine.make(apple, Engine.defaults)
  for (const event of events) Engine.apply(engine, event)
  return engine
}
