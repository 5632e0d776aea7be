/** Dividends: the rules' worked example, once per day, paid to the holders at that time (rule 19.1). */
import { AccountId } from "@venue/domain/AccountId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { Scene, told, usd } from "../EngineScene.ts"

const pay = (scene: Scene, exDay: number, usdPerUnit: number) =>
  told(scene.ask({ _tag: "PayDividend", exDay, perUnitE8: usd(usdPerUnit) }))
const received = (scene: Scene, account: string) => Engine.view(scene.engine, AccountId.make(account)).position.funding

describe("dividends", () => {
  it("a dividend of 0.26 pays 13.00 to a long position of 50, from the shorts", () => {
    const scene = new Scene()
    scene.hold("alice", 50)
    assert.deepStrictEqual(pay(scene, 20_000, 0.26), ["DividendPaid"])
    assert.deepStrictEqual([received(scene, "alice"), received(scene, "house")], [13_000_000, -13_000_000])
    assert.deepStrictEqual(Engine.totals(scene.engine).cash, 0)
  })

  it("a dividend is paid once per day, and never for an earlier day", () => {
    const scene = new Scene()
    scene.hold("alice", 50)
    pay(scene, 20_000, 0.26)
    assert.deepStrictEqual(pay(scene, 20_000, 0.26), [])
    assert.deepStrictEqual(pay(scene, 19_999, 1), [])
    assert.deepStrictEqual(pay(scene, 20_001, 0.02), ["DividendPaid"])
    assert.strictEqual(received(scene, "alice"), 14_000_000)
  })

  it("the indivisible fraction of a dividend goes to the reserve fund", () => {
    const scene = new Scene()
    for (const account of ["alice", "carol"]) scene.hold(account, 0.1)
    // 0.1 of 0.00000015 is 0.015 of 1e-6 USD.
    pay(scene, 20_000, 0.00000015)
    assert.deepStrictEqual(
      ["alice", "carol", "house"].map((account) => received(scene, account)),
      [0, 0, -1]
    )
    const { cash, reserveFund } = Engine.totals(scene.engine)
    assert.deepStrictEqual([cash, reserveFund], [0, 1])
  })
})
