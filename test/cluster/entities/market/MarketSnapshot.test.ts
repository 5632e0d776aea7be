import * as MarketSnapshot from "@venue/cluster/entities/market/MarketSnapshot"
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import { Buffer } from "node:buffer"
import { apple, Scene } from "../../../matching/EngineScene.ts"

it("I6: decodes a snapshot at any offset of a buffer", () => {
  const scene = new Scene()
  scene.buy(1, 199)
  scene.sell(1, 201)
  const whole = Buffer.concat([Buffer.alloc(3), ...MarketSnapshot.encode(Engine.snapshot(scene.engine))]).subarray(3)
  const restored = Engine.restore(apple, Engine.defaults, MarketSnapshot.decode(whole)!)
  assert.strictEqual(Engine.hash(restored), Engine.hash(scene.engine))
})

it("I6: a snapshot excludes later changes, although its outcome pages are not copied", () => {
  const scene = new Scene()
  scene.buy(1, 199)
  const hash = Engine.hash(scene.engine)
  const parts = MarketSnapshot.encode(Engine.snapshot(scene.engine))
  scene.buy(2, 198)
  const restored = Engine.restore(apple, Engine.defaults, MarketSnapshot.decode(Buffer.concat(parts))!)
  assert.strictEqual(Engine.hash(restored), hash)
})

it("does not decode a snapshot of another version", () => {
  const snapshot = Engine.snapshot(new Scene().engine)
  const parts = MarketSnapshot.encode({ ...snapshot, version: 2 as never })
  assert.isUndefined(MarketSnapshot.decode(Buffer.concat(parts)))
})
