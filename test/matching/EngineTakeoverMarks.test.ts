/** Takeovers during which the mark moves: who can still take over, and when nothing is transferred. */
import { AccountId } from "@venue/domain/AccountId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { assertDurable, Scene, told } from "./EngineScene.ts"
import { closeTakeovers, made, mark, openTakeover, reserveFund, scene, stand, worth } from "./LiquidationScene.ts"

describe("rule 9.9, rule 9.13: takeovers whose mark changed before the close", () => {
  it("I28: no provider takes over a position after the mark has moved by more than 25 bps", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    openTakeover(market, "ann", 400)
    const dora = stand(market, "dora", { freeMargin: 1_500 })
    mark(market, 150)
    assert.deepStrictEqual(told(closeTakeovers(market, [dora])), ["TakeoverClosed"])
    assert.deepStrictEqual([worth(market, "dora", 150), market.position("ann"), reserveFund(market)], [0, 50, 0])
    assert.deepStrictEqual(Engine.alarms(market.engine), [])
    assertDurable(market)
    // The takeover is decided again at the new mark: the other side bears as much of the debt of 1,400 as it can.
    openTakeover(market, "ann", -1_400)
    const events = closeTakeovers(market, [stand(market, "dora", { freeMargin: 1_500 }), stand(market, "ben", {})])
    assert.deepStrictEqual(made(events), ["DELEVERAGING ben 50 @ 178, fees 0 and 0"])
    assertDurable(market)
  })

  it.each([185.54, 186.46])(
    "a takeover goes to providers at its original mark of 186 if the current mark of %d is within 25 bps",
    (near) => {
      const market = scene(["ben", 50])
      mark(market, 186)
      openTakeover(market, "ann", 400)
      const dora = stand(market, "dora", { freeMargin: 1_500 })
      mark(market, near)
      assert.deepStrictEqual(made(closeTakeovers(market, [dora])), ["TAKEOVER dora 50 @ 186, fees 400 and -23.25"])
      assert.isAtLeast(worth(market, "dora", near), 0)
    }
  )

  it("in a falling market, opposite accounts take as many lots as they can bear, including their gains from the mark", () => {
    const market = scene(["ben", 50])
    mark(market, 186)
    openTakeover(market, "ann", 400)
    const stands = [stand(market, "dora", { freeMargin: 1_500 }), stand(market, "ben", { mayLose: 1_800 })]
    mark(market, 150)
    assert.deepStrictEqual(made(closeTakeovers(market, stands)), ["DELEVERAGING ben 50 @ 186, fees 400 and 0"])
  })

  it.each([
    [50, 186, 200],
    [50, 186, 186.47],
    [-50, 214, 200],
    [-50, 214, 213.46]
  ])(
    "a takeover of a position of %d ends without a transfer after the mark recovers from %d to %d, by more than 25 bps",
    (held, fallen, now) => {
      const market = new Scene()
      market.hold("ann", held)
      mark(market, fallen)
      openTakeover(market, "ann", 400)
      const stands = [stand(market, "dora", { freeMargin: 1_500 }), stand(market, "house", {})]
      mark(market, now)
      assert.deepStrictEqual(told(closeTakeovers(market, stands)), ["TakeoverClosed"])
      assert.deepStrictEqual([market.position("ann"), reserveFund(market)], [held, 0])
      assert.isFalse(Engine.view(market.engine, AccountId.make("ann")).isFrozen)
      assertDurable(market)
    }
  )

  it("after the mark has recovered, closing a takeover raises no alarm, whatever amount the fund holds", () => {
    const market = scene(["ben", 50])
    mark(market, 170)
    openTakeover(market, "ann", -400)
    mark(market, 171)
    assert.deepStrictEqual(told(closeTakeovers(market, [stand(market, "ben", {})])), ["TakeoverClosed"])
    assert.deepStrictEqual(Engine.alarms(market.engine), [])
    assertDurable(market)
  })
})
