/** Time of an order's last change and its modified flag. */
import { AccountId } from "@venue/domain/AccountId"
import type { Order } from "@venue/domain/Order"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { Packr } from "msgpackr"
import { id } from "../Id.ts"
import { apple, eventOf, friday, lots, orderIdOf, Scene, ticks, told } from "./EngineScene.ts"

type Change = Pick<Order, "modified" | "updatedAtMillis">

const change = ({ modified, updatedAtMillis }: Order): Change => ({ modified, updatedAtMillis })

/** Returns the last change of each of the account's open orders, oldest order first. */
const changes = (scene: Scene, account = "alice"): ReadonlyArray<Change> =>
  Engine.view(scene.engine, AccountId.make(account)).orders.map(change)

const asPlaced = (updatedAtMillis: number): Change => ({ modified: false, updatedAtMillis })
const asModified = (updatedAtMillis: number): Change => ({ modified: true, updatedAtMillis })

describe("time of an order's last change", () => {
  it("a new order shows its placement time as its last change", () => {
    const scene = new Scene()
    const accepted = eventOf(scene.buy(3, 199), "Accepted")
    scene.now += 5
    scene.ask({ _tag: "Tick" })
    assert.deepStrictEqual(change(accepted.order), asPlaced(friday))
    assert.deepStrictEqual(changes(scene), [asPlaced(friday)])
  })

  it("a modify sets the change time and the modified flag, even if the order keeps its priority", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(3, 199))
    for (const over of [{ quantityLots: lots(2) }, { priceTicks: ticks(198) }, {}]) {
      scene.now += 5
      assert.deepStrictEqual(change(eventOf(scene.modify(orderId, over), "Modified").order), asModified(scene.now))
      assert.deepStrictEqual(changes(scene), [asModified(scene.now)])
    }
  })

  it("a refused modify sets neither the change time nor the modified flag", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(3, 199))
    scene.now += 5
    assert.deepStrictEqual(told(scene.modify(orderId, { priceTicks: ticks(400) })), ["PRICE_GREATER_THAN_MAX_PRICE"])
    assert.deepStrictEqual(changes(scene), [asPlaced(friday)])
  })

  it("a fill sets the change time of maker and taker", () => {
    const scene = new Scene()
    scene.buy(3, 199)
    scene.now += 5
    const { maker, taker } = eventOf(scene.sell(4, 199, { account: "bob" }), "Traded")
    assert.deepStrictEqual(
      [maker, taker].map(({ order }) => change(order)),
      [asPlaced(scene.now), asPlaced(scene.now)]
    )
    const orderId = orderIdOf(scene.buy(3, 198))
    scene.buy(2, 198)
    scene.now += 5
    const rested = scene.now
    scene.sell(1, 198, { account: "bob" })
    assert.deepStrictEqual(changes(scene), [asPlaced(rested), asPlaced(rested - 5)])
    assert.deepStrictEqual(changes(scene, "bob"), [asPlaced(friday + 5)])
    scene.now += 5
    assert.deepStrictEqual(change(eventOf(scene.cancel(orderId), "Ended").order), asPlaced(rested))
  })

  it("a crossing modify sets the modified flag and the time of its fill", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(3, 199))
    scene.sell(1, 200, { account: "bob" })
    scene.now += 5
    const { taker } = eventOf(scene.modify(orderId, { priceTicks: ticks(200) }), "Traded")
    assert.deepStrictEqual(change(taker.order), asModified(scene.now))
    scene.now += 5
    const { maker } = eventOf(scene.sell(1, 200, { account: "bob" }), "Traded")
    assert.deepStrictEqual(change(maker.order), asModified(scene.now))
    assert.deepStrictEqual(changes(scene), [asModified(scene.now)])
  })

  it("a cut of an incoming order sets its change time and its modified flag", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.now += 5
    scene.sell(8, 201, { reduceOnly: true })
    assert.deepStrictEqual(changes(scene), [asModified(scene.now)])
  })

  it("a cut of a resting order sets its change time and its modified flag", () => {
    const scene = new Scene()
    scene.hold("alice", 5)
    scene.sell(5, 201, { reduceOnly: true })
    scene.buy(2, 199, { account: "bob" })
    assert.deepStrictEqual(changes(scene), [asPlaced(friday)])
    scene.now += 5
    const cut = eventOf(scene.sell(2, 199, { timeInForce: "IOC" }), "Modified")
    assert.deepStrictEqual(change(cut.order), asModified(scene.now))
    assert.deepStrictEqual(changes(scene), [asModified(scene.now)])
  })

  it("builder code and leverage stay after a modify", () => {
    const scene = new Scene()
    for (let n = 0; n < 40; n++) scene.buy(1, 150, { account: `other-${n}`, builderCode: `code-${n}` })
    const orderId = orderIdOf(scene.sell(3, 201, { builderCode: "code-39", leverage: 200 }))
    scene.modify(orderId, { side: "SELL", priceTicks: ticks(202) })
    assert.strictEqual(Engine.view(scene.engine, AccountId.make("alice")).orders[0]!.builderCode, "code-39")
    const { maker } = eventOf(scene.buy(3, 202, { account: "bob" }), "Traded")
    assert.strictEqual(maker.order.builderCode, "code-39")
    assert.strictEqual(maker.marginUsed, Math.ceil((3 * 202 * 1_000_000) / 200))
  })

  it("a reused slot keeps no data from its previous order", () => {
    const scene = new Scene()
    const orderId = orderIdOf(scene.buy(3, 199))
    scene.modify(orderId, { priceTicks: ticks(198) })
    scene.cancel(orderId)
    scene.now += 5
    scene.buy(3, 199)
    assert.deepStrictEqual(changes(scene), [asPlaced(scene.now)])
  })
})

describe("I6: times after a snapshot and after a replay", () => {
  const scene = new Scene()
  scene.hold("alice", 5)
  const orderId = orderIdOf(scene.buy(3, 199))
  scene.buy(4, 198)
  scene.now += 5
  scene.modify(orderId, { priceTicks: ticks(197) })
  scene.now += 5
  scene.sell(1, 198, { account: "bob" })
  scene.now += 5
  scene.sell(20, 203, { reduceOnly: true })
  scene.now += 5
  const expected = [asModified(friday + 5), asPlaced(friday + 10), asModified(friday + 15)]

  it("every restored or replayed order shows the live order's times and flags", () => {
    const packr = new Packr()
    const restored = Engine.restore(apple, Engine.defaults, packr.unpack(packr.pack(Engine.snapshot(scene.engine))))
    const replayed = Engine.make(apple, Engine.defaults)
    for (const event of scene.events) Engine.apply(replayed, event)
    assert.deepStrictEqual(changes(scene), expected)
    for (const engine of [restored, replayed]) {
      assert.deepStrictEqual(
        Engine.view(engine, AccountId.make("alice")),
        Engine.view(scene.engine, AccountId.make("alice"))
      )
    }
  })

  it("the hash distinguishes a modified order from an equal new one", () => {
    const accepted = eventOf(new Scene().buy(2, 199, { id: id("order") }), "Accepted")
    const order = { ...accepted.order, modified: true }
    const modified = { _tag: "Modified", commandId: null, order, requeued: false, atMillis: friday } as const
    const hashes = [[accepted], [accepted, modified]].map((events) => {
      const engine = Engine.make(apple, Engine.defaults)
      for (const event of events) Engine.apply(engine, event)
      return Engine.hash(engine)
    })
    assert.notStrictEqual(hashes[0], hashes[1])
  })
})
