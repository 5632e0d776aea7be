/** Previews of long orders, and previews requested by other users. */
import { AccountId } from "@venue/domain/AccountId"
import type { Place } from "@venue/domain/Market"
import type { MarketPreview } from "@venue/domain/Preview"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import { id } from "../Id.ts"
import { bob, crowded, many } from "./EngineCrowd.ts"
import { apple, assertDurable, eventOf, lots, Scene, ticks, usd } from "./EngineScene.ts"

/** Previews an order, then returns its actual fills and final response. */
const both = (scene: Scene, command: Place) => {
  const before = Engine.hash(scene.engine)
  const said = Engine.preview(scene.engine, command, scene.now)!
  assert.strictEqual(Engine.hash(scene.engine), before)
  const did = { quantityLots: 0, notional: 0, fee: 0, status: "ACK" as MarketPreview["status"] }
  for (const event of scene.ask(command)) {
    if (event._tag === "Traded") {
      did.quantityLots += event.quantityLots
      did.notional += event.notional
      did.fee += event.taker.fee
      did.status = "FILLED"
    }
    if (event._tag === "Ended" && event.order.orderId.text === command.commandId.text) did.status = event.status
  }
  const { fills, status } = said
  const { fee, notional, quantityLots } = fills
  return [{ quantityLots, notional, fee, status }, did] as const
}

it.each(["GTC", "IOC", "FOK"] as const)(
  "I54, rule 4.16: a preview of a %s order ends at the same fill as the order",
  (timeInForce) => {
    const scene = new Scene()
    many(scene, "SELL", 4_100, 200.5)
    const [said, did] = both(scene, scene.placing("BUY", 500, 201, { ...bob, timeInForce }))
    assert.strictEqual(did.quantityLots, timeInForce === "FOK" ? 0 : lots(409.6))
    assert.deepStrictEqual(said, did)
    assertDurable(scene)
  }
)

it.each(crowded)("rule 4.16: a preview counts events from %s", (_what, prepare, quantity, ask) => {
  for (const timeInForce of ["IOC", "FOK"] as const) {
    const scene = new Scene()
    prepare(scene)
    const [said, did] = both(scene, scene.placing("BUY", quantity, 201, { ...bob, ...ask, timeInForce }))
    assert.strictEqual(did.status, timeInForce === "IOC" ? "IOC_PARTIALLY_FILLED" : "CANCELLED")
    assert.deepStrictEqual(said, did)
  }
})

it("rule 4.11: a reduce-only order's remainder ends if resting orders leave no quantity to reduce, as its preview shows", () => {
  const scene = new Scene()
  scene.hold("bob", 5)
  scene.sell(4, 203, { account: "bob", reduceOnly: true })
  scene.buy(2, 200)
  const command = scene.placing("SELL", 5, 200, { account: "bob", reduceOnly: true })
  const [said, did] = both(scene, command)
  assert.deepStrictEqual([said.quantityLots, said.status], [lots(2), "CANCELLED"])
  assert.deepStrictEqual(said, did)
})

it("rule 12.3: rounds each fill's reward down separately", () => {
  const scene = new Scene()
  const builderCode = id("code").text
  const ownerId = eventOf(scene.buy(1, 190, { account: "bob" }), "Accepted").order.userId
  scene.ask({ _tag: "IntroduceBuilder", builderCode, ownerId, venueBps: 6_000, builderBps: 3_000 })
  scene.sell(0.333, 200.01)
  scene.sell(1, 200.03)
  const command = scene.placing("BUY", 1, 201, { account: "cat", builderCode })
  const said = Engine.preview(scene.engine, command, scene.now)!
  const rewards = scene.ask(command).flatMap((event) => (event._tag === "Traded" ? [event.taker.reward!] : []))
  assert.lengthOf(rewards, 2)
  assert.strictEqual(said.fills.reward, rewards[0]!.amount + rewards[1]!.amount)
  assert.strictEqual(said.fills.remainder, rewards[0]!.remainder + rewards[1]!.remainder)
  assert.deepStrictEqual(said.share, { venueBps: 6_000, builderBps: 3_000 })
})

it("returns no preview to a trader's former owner or for another user's account", () => {
  const scene = new Scene()
  scene.buy(1, 190, { account: "ann", epoch: 3 })
  scene.ask({ _tag: "RaiseEpoch", userId: UserId.make("ann"), traderEpoch: 3 })
  const preview = (ask: Parameters<Scene["placing"]>[3]) =>
    Engine.preview(scene.engine, scene.placing("BUY", 1, 190, ask), scene.now)
  assert.isUndefined(preview({ account: "ann", epoch: 2 }))
  assert.strictEqual(preview({ account: "ann", user: "ben", epoch: 3 })?.refusal, "REJECTED_FAILED_TO_PROCESS")
  assert.strictEqual(
    preview({ account: "ann", epoch: 3, expires: scene.now - 1 })?.refusal,
    "REJECTED_FAILED_TO_PROCESS"
  )
  assert.isNull(preview({ account: "ann", epoch: 3 })!.refusal)
})

it("rule 3.5: a preview judges staleness at its own time, even if the market has recorded no event since its last price", () => {
  const scene = new Scene(null)
  scene.ask({ _tag: "Observe", priceE8: usd(200), teller: "external" })
  const refusalAt = (now: number) =>
    Engine.preview(scene.engine, scene.placing("BUY", 1, 190, { expires: now }), now)!.refusal
  assert.isNull(refusalAt(scene.now + 59_999))
  assert.strictEqual(refusalAt(scene.now + 60_000), "REJECTED_MARKET_CLOSED")
})

it("I54: a preview of an unknown account creates no account and shows empty holdings", () => {
  const scene = new Scene()
  const said = Engine.preview(scene.engine, scene.placing("BUY", 1, 199, { account: "zoe" }), scene.now)!
  assert.deepStrictEqual([said.refusal, said.status, said.restingLots], [null, "ACK", lots(1)])
  assert.deepInclude(said.order!, { priceTicks: ticks(199), worstTicks: ticks(199) })
  assert.isFalse(scene.engine.participants.accountsById.has(AccountId.make("zoe")))
  assert.deepStrictEqual(scene.levels(), [])
  assert.strictEqual(
    Engine.hash(scene.engine),
    Engine.hash(Engine.restore(apple, scene.engine.settings, Engine.snapshot(scene.engine)))
  )
})
