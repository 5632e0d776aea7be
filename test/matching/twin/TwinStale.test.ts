/** The matching engine compared with its twin (the slow reference implementation) while no new prices arrive. */
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { assertAlike, decide, emptyEngine } from "./Play.ts"
import { make } from "./Streams.ts"

describe("the engine and stale prices", () => {
  it("I29: the engine's events equal the reference implementation's while prices turn stale and recover", () => {
    let closed = 0
    for (let seed = 1; seed <= 200; seed++) {
      const stream = make(seed, 150, "slow")
      assertAlike(stream)
      const engine = emptyEngine(stream)
      const live = stream.steps.flatMap((step) => decide(engine, step))
      const replayed = emptyEngine(stream)
      for (const event of live) Engine.apply(replayed, event)
      assert.deepStrictEqual(Engine.hash(replayed), Engine.hash(engine), `stream ${seed}`)
      closed += live.filter((event) => event._tag === "Refused" && event.status === "REJECTED_MARKET_CLOSED").length
    }
    assert.isAbove(closed, 100)
  })
})
