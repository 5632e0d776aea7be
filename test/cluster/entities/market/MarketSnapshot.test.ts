import * as MarketSnapshot from "@venue/cluster/entities/market/MarketSnapshot"
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import { AccountId } from "@venue/domain/AccountId"
import * as MarketRecord from "@venue/journal/MarketRecord"
import { Buffer } from "node:buffer"
import { readFileSync } from "node:fs"
import { pack } from "msgpackr"
import { apple, Scene } from "../../../matching/EngineScene.ts"

it("I6: is read back from the bytes that were written, wherever they lie", () => {
  const scene = new Scene()
  scene.buy(1, 199)
  scene.sell(1, 201)
  const whole = Buffer.concat([Buffer.alloc(3), ...MarketSnapshot.encode(Engine.snapshot(scene.engine))]).subarray(3)
  const restored = Engine.restore(apple, Engine.defaults, MarketSnapshot.decode(whole)!)
  assert.strictEqual(Engine.hash(restored), Engine.hash(scene.engine))
})

it("I6: what happens after it was taken is not in it, though its outcomes are no copies", () => {
  const scene = new Scene()
  scene.buy(1, 199)
  const hash = Engine.hash(scene.engine)
  const parts = MarketSnapshot.encode(Engine.snapshot(scene.engine))
  scene.buy(2, 198)
  const restored = Engine.restore(apple, Engine.defaults, MarketSnapshot.decode(Buffer.concat(parts))!)
  assert.strictEqual(Engine.hash(restored), hash)
})

it("I6: version 5 stays readable, and is the state that its log leaves", () => {
  const engine = Engine.make(apple, Engine.defaults)
  for (const event of MarketRecord.decode(fixture("market-snapshot-5-log"))) Engine.apply(engine, event)
  const restored = Engine.restore(apple, Engine.defaults, MarketSnapshot.decode(fixture("market-snapshot-5"))!)
  assert.strictEqual(Engine.hash(restored), Engine.hash(engine))
  assert.deepStrictEqual(
    ["bob", "alice/1", "eve"].map((name) => Engine.view(restored, AccountId.make(name))),
    ["bob", "alice/1", "eve"].map((name) => Engine.view(engine, AccountId.make(name)))
  )
  assert.deepStrictEqual(
    Engine.view(restored, AccountId.make("bob")).orders.map(({ builderCode }) => builderCode),
    ["carol", "", ""]
  )
})

it("of a shape that is no longer known it is none", () => {
  const snapshot = Engine.snapshot(new Scene().engine)
  assert.isUndefined(MarketSnapshot.decode(pack({ ...snapshot, version: 4, outcomes: new Uint8Array(64) })))
  const [, value] = MarketSnapshot.encode({ ...snapshot, version: 4 as never })
  const length = Buffer.alloc(4)
  length.writeUInt32BE(value!.length)
  assert.isUndefined(MarketSnapshot.decode(Buffer.concat([length, value!])))
})

const fixture = (name: string): Buffer =>
  Buffer.from(readFileSync(new URL(`./fixtures/${name}.hex`, import.meta.url), "utf8").replaceAll(/\s/g, ""), "hex")
