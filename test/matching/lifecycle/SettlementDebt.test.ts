/**
 * Settlement far from the mark: a loss beyond an account's equity stays with that account, and money is conserved
 * (rule 19.3).
 */
import { AccountId } from "@venue/domain/AccountId"
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assertDurable, Scene, usd } from "../EngineScene.ts"

const price = fc.integer({ min: 120, max: 290 })
const lots = fc.integer({ min: -40, max: 40 }).filter((count) => count !== 0)

it("rule 19.3: at any average price, debts stay with their accounts and money sums to zero", () => {
  fc.assert(
    fc.property(
      fc.array(lots, { minLength: 1, maxLength: 6 }),
      fc.array(price, { minLength: 1, maxLength: 4 }),
      (held, told) => {
        const scene = new Scene()
        const names = held.map((count, index) => {
          scene.hold(`holder-${index}`, count)
          return `holder-${index}`
        })
        const fundBefore = Engine.totals(scene.engine).reserveFund
        for (const one of told) {
          scene.now += 5 * 60_000
          scene.ask({ _tag: "Observe", priceE8: usd(one), teller: "operator" })
        }
        scene.ask({ _tag: "SetTradingState", state: "HALTED" })
        scene.ask({ _tag: "Delist" })
        const positions = [...names, "house"].map((name) => Engine.view(scene.engine, AccountId.make(name)).position)
        assert.isTrue(positions.every(({ quantityLots }) => quantityLots === 0))
        assert.strictEqual(
          positions.reduce((sum, { cashFlow }) => sum + cashFlow, 0),
          0
        )
        assert.strictEqual(Engine.totals(scene.engine).reserveFund, fundBefore, "no fund took a debt")
        assertDurable(scene)
      }
    ),
    { numRuns: 60 }
  )
})
