/** Cancellation of all orders of a market, after a recovery from lost rows. */
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import { assertDurable, Scene } from "../EngineScene.ts"

const cancelled = (scene: Scene) =>
  scene
    .ask({ _tag: "CancelOrders" })
    .flatMap((event) => (event._tag === "Ended" ? [`${event.status} ${event.order.accountId}`] : []))

it("cancels every order and stop of the market, and changes nothing when repeated", () => {
  const scene = new Scene()
  scene.hold("alice", 50)
  scene.buy(1, 199)
  scene.sell(5, 190, { type: "STOP_LOSS" })
  scene.buy(2, 198, { account: "ben" })
  assert.isTrue(Engine.hasOrders(scene.engine))
  assert.sameMembers(cancelled(scene), ["CANCELLED alice", "CANCELLED alice", "CANCELLED ben"])
  assert.isFalse(Engine.hasOrders(scene.engine))
  assert.deepStrictEqual(cancelled(scene), [])
  assertDurable(scene)
})
