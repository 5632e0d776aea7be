/** Rewards for fills with a builder code, and the division of the remaining fee (rule 12). */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import type { Traded } from "@venue/domain/Market"
import { valueOf } from "@venue/domain/Split"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { Packr } from "msgpackr"
import { accountsIn } from "../twin/Streams.ts"
import { play } from "../twin/Play.ts"
import { apple, eventOf, Scene, told, usd } from "../EngineScene.ts"

const ownerId = UserId.make("owner")

const introduce = (scene: Scene, builderCode = "code", venueBps = 6_000, builderBps = 3_000) =>
  scene.ask({ _tag: "IntroduceBuilder", builderCode, ownerId, venueBps, builderBps })

/** Ben rests 50 at 204 and pays 2 bps, which is 2.04. Ann takes them and pays 10 bps, which is 10.20. */
const trade = (scene: Scene, takerCode: string, makerCode = ""): Traded => {
  scene.sell(50, 204, { account: "ben", builderCode: makerCode })
  return eventOf(scene.buy(50, 204, { account: "ann", builderCode: takerCode }), "Traded")
}

const rewards = (engine: Engine.Engine, user: UserId = ownerId): number =>
  Engine.view(engine, primaryAccountOf(user)).position.rewards

const cashOf = (engine: Engine.Engine, accounts: ReadonlyArray<string>): number => {
  const { reserveFund, venueFees } = Engine.totals(engine)
  return accounts.reduce((sum, account) => {
    const { cashFlow, fees, funding, rewards } = Engine.view(engine, AccountId.make(account)).position
    return sum + cashFlow - fees + funding + rewards
  }, reserveFund + venueFees)
}

describe("rule 12.3: division of a 10.20 fee", () => {
  it("I18: if the venue's share is 60 % and the owner's 30 %, they get 6.12 and 3.06, and the reserve fund gets 1.02", () => {
    const scene = new Scene(204)
    assert.deepStrictEqual(told(introduce(scene)), ["BuilderIntroduced"])
    const { maker, taker } = trade(scene, "code")
    assert.strictEqual(taker.fee, 10_200_000)
    assert.deepStrictEqual(taker.reward, { ownerId, amount: 3_060_000, remainder: 1_020_000 })
    assert.isNull(maker.reward)
    assert.strictEqual(rewards(scene.engine), 3_060_000)
    // The maker's whole fee belongs to the venue.
    assert.deepInclude(Engine.totals(scene.engine), {
      cash: 0,
      venueFees: 6_120_000 + 2_040_000,
      reserveFund: 1_020_000
    })
    assert.strictEqual(cashOf(scene.engine, ["ann", "ben", "owner"]), 0)
    assert.strictEqual(Engine.view(scene.engine, AccountId.make("ann")).position.fees, 10_200_000)
  })

  it("I18: if owner and venue each have a share of 50 %, both get 5.10 and nothing remains", () => {
    const scene = new Scene(204)
    introduce(scene, "code", 5_000, 5_000)
    assert.deepStrictEqual(trade(scene, "code").taker.reward, { ownerId, amount: 5_100_000, remainder: 0 })
    assert.deepInclude(Engine.totals(scene.engine), { venueFees: 5_100_000 + 2_040_000, reserveFund: 0 })
  })
})

describe("rule 12.4: rewards", () => {
  it("maker and taker fills each earn a reward for the builder code of their own order", () => {
    const scene = new Scene(204)
    introduce(scene)
    const { maker } = trade(scene, "", "code")
    assert.deepStrictEqual(maker.reward, { ownerId, amount: 612_000, remainder: 204_000 })
    const both = trade(scene, "code", "code")
    assert.deepStrictEqual([both.maker.reward?.amount, both.taker.reward?.amount], [612_000, 3_060_000])
    assert.strictEqual(rewards(scene.engine), 612_000 + 612_000 + 3_060_000)
  })

  it("I18: orders without a code, or with an unknown code, earn nothing", () => {
    const scene = new Scene(204)
    introduce(scene)
    for (const code of ["", "unknown"]) {
      const { maker, taker } = trade(scene, code, code)
      assert.deepStrictEqual([maker.reward, taker.reward], [null, null])
    }
    assert.strictEqual(rewards(scene.engine), 0)
    assert.strictEqual(Engine.totals(scene.engine).reserveFund, 0)
  })

  it("a fee of zero or less is not divided", () => {
    const scene = new Scene(204)
    introduce(scene)
    for (const makerRate of [0, -5_000]) {
      scene.sell(50, 204, { account: "ben", builderCode: "code", makerRate })
      assert.isNull(eventOf(scene.buy(50, 204, { account: "ann" }), "Traded").maker.reward)
    }
    assert.strictEqual(rewards(scene.engine), 0)
    assert.strictEqual(Engine.totals(scene.engine).cash, 0)
  })

  it("a code's owner also earns on its own trades, and the reward is credited to the primary account", () => {
    const scene = new Scene(204)
    introduce(scene)
    scene.sell(50, 204, { account: "ben" })
    scene.buy(50, 204, { user: "owner", account: "owner-2", builderCode: "code" })
    assert.strictEqual(rewards(scene.engine), 3_060_000)
    assert.strictEqual(Engine.view(scene.engine, AccountId.make("owner-2")).position.rewards, 0)
  })
})

describe("a market registers a code once", () => {
  it("a repeated registration keeps the first owner and shares", () => {
    const scene = new Scene(204)
    introduce(scene)
    assert.deepStrictEqual(introduce(scene, "code", 5_000, 5_000), [])
    assert.strictEqual(trade(scene, "code").taker.reward?.amount, 3_060_000)
  })

  it("I19: an order placed before the code's registration earns afterwards, and keeps its code through a modify", () => {
    const scene = new Scene(204)
    const { order } = eventOf(scene.sell(100, 204, { account: "ben", builderCode: "code" }), "Accepted")
    assert.isNull(eventOf(scene.buy(50, 204, { account: "ann" }), "Traded").maker.reward)
    introduce(scene)
    assert.isNotNull(eventOf(scene.buy(10, 204, { account: "ann" }), "Traded").maker.reward)
    scene.cancel(order.orderId, { account: "ben" })
    const rested = eventOf(scene.sell(50, 204, { account: "ben", builderCode: "code" }), "Accepted").order
    scene.modify(rested.orderId, { account: "ben", side: "SELL", quantityLots: 20_000 })
    assert.strictEqual(
      eventOf(scene.buy(20, 204, { account: "ann" }), "Traded").maker.reward?.amount,
      Math.floor(816_000 * 0.3)
    )
  })

  it("I19: a fired stop earns for the code with which it was placed", () => {
    const scene = new Scene(204)
    introduce(scene)
    scene.hold("ann", 50, 204)
    scene.buy(50, 199, { account: "ben" })
    scene.sell(50, 200, { account: "ann", type: "STOP_LOSS", builderCode: "code" })
    const { maker, taker } = eventOf(scene.ask({ _tag: "Observe", priceE8: usd(199.5), teller: "operator" }), "Traded")
    assert.strictEqual(taker.fee, 9_950_000)
    assert.deepStrictEqual([maker.reward, taker.reward], [null, { ownerId, amount: 2_985_000, remainder: 995_000 }])
  })

  it("I6: code and rewards survive a replay and a snapshot", () => {
    const scene = new Scene(204)
    introduce(scene)
    trade(scene, "code", "code")
    const packr = new Packr()
    const restored = Engine.restore(apple, Engine.defaults, packr.unpack(packr.pack(Engine.snapshot(scene.engine))))
    const replayed = Engine.make(apple, Engine.defaults)
    for (const event of scene.events) Engine.apply(replayed, event)
    for (const engine of [restored, replayed]) {
      assert.strictEqual(Engine.hash(engine), Engine.hash(scene.engine))
      assert.strictEqual(rewards(engine), 3_672_000)
    }
    const before = Engine.hash(scene.engine)
    introduce(scene, "another")
    assert.notStrictEqual(Engine.hash(scene.engine), before)
    scene.engine = restored
    assert.strictEqual(trade(scene, "code").taker.reward?.amount, 3_060_000)
  })
})

it("I18 I26: in 300 random streams the parts of each fee sum to the fee, and every reward is credited", () => {
  let rewarded = 0
  play(300, (engine, stream) => {
    const accounts = [...new Set(stream.steps.flatMap(({ command }) => accountsIn(command)))]
    const earned = new Map<string, number>()
    let [fees, paidOut, kept] = [0, 0, 0]
    return (events) => {
      for (const event of events) {
        if (event._tag === "FundToppedUp") kept += event.amount
        if (event._tag === "Funded" || event._tag === "DividendPaid") kept += event.remainder
        if (event._tag === "ContractSplit")
          kept += event.remainder - valueOf(stream.instrument, BigInt(event.fundLots), 1, event.markE8)
        if (event._tag !== "Traded") continue
        for (const { fee, order, reward } of [event.maker, event.taker]) {
          if (event.offBook === undefined) fees += fee
          else kept += fee
          if (reward === null) continue
          assert.strictEqual(order.builderCode, "code")
          const { amount, ownerId, remainder } = reward
          assert.isTrue(amount >= 0 && remainder >= 0 && amount + remainder <= fee)
          earned.set(ownerId, (earned.get(ownerId) ?? 0) + amount)
          paidOut += amount + remainder
          kept += remainder
          rewarded++
        }
      }
      for (const account of accounts) {
        const { rewards } = Engine.view(engine, account).position
        assert.strictEqual(rewards, earned.get(account) ?? 0)
      }
      assert.deepInclude(Engine.totals(engine), { cash: 0, venueFees: fees - paidOut, reserveFund: kept })
    }
  })
  assert.isAbove(rewarded, 500)
})
