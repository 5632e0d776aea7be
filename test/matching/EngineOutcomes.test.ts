/**
 * Large numbers of remembered commands: each is found while retained and absent afterwards, in any order of arrival.
 */
import { AccountId } from "@venue/domain/AccountId"
import { type Id, version4 } from "@venue/domain/Id"
import type { MarketEvent } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { mix } from "@venue/domain/BitMix"
import { assert, it } from "@effect/vitest"
import { apple, Scene } from "./EngineScene.ts"

const id = (n: number): Id => version4(mix(n), mix(n + 1), mix(n ^ 77), n)

const send = (engine: Engine.Engine, n: number, expiresAtMillis: number, now: number): number => {
  const events: Array<MarketEvent> = []
  const envelope = {
    commandId: id(n),
    expiresAtMillis,
    traderEpoch: 1,
    userId: UserId.make(`user-${n % 7}`),
    accountId: AccountId.make(`user-${n % 7}`)
  }
  Engine.decide(engine, { _tag: "CancelAll", ...envelope, cause: "REQUEST" }, now, events)
  return events.length
}

it("I20: after tens of thousands of commands, a repeat of a retained command emits no event", () => {
  const { engine, now } = new Scene()
  const kept = 40_000
  for (let n = 0; n < kept; n++) assert.strictEqual(send(engine, n, now + 5_000, now), 1)
  for (let n = 0; n < kept; n++) assert.strictEqual(send(engine, n, now + 5_000, now), 0)
  // Each later command removes a few expired records.
  const later = now + 65_001
  Engine.decide(engine, { _tag: "Tick" }, later, [])
  for (let n = kept; n < 2 * kept; n++) assert.strictEqual(send(engine, n, later + 5_000, later), 1)
  for (let n = 0; n < 2 * kept; n += 7) {
    assert.strictEqual(Engine.outcome(engine, id(n)), n < kept ? undefined : "DONE")
    assert.strictEqual(send(engine, n, later + 5_000, later), n < kept ? 1 : 0)
  }
  const restored = Engine.restore(apple, Engine.defaults, Engine.snapshot(engine))
  const numbers = Array.from({ length: 2 * kept }, (_, n) => n)
  for (const user of [0, 3]) {
    // The forgotten commands of user 0 were sent again in the loop above.
    const sent = [...numbers.slice(kept), ...numbers.slice(0, user === 0 ? kept : 0)].filter((n) => n % 7 === user)
    for (const state of [engine, restored]) {
      const found = Engine.outcomes(state, UserId.make(`user-${user}`)).map(({ commandId }) => commandId)
      assert.deepStrictEqual(found, sent.map(id))
    }
  }
  assert.strictEqual(Engine.hash(restored), Engine.hash(engine))
})
