/** Time that is measured now and then and carried on between: never set back, and wrong no longer than it must be. */
import * as CarriedTime from "@venue/postgres/CarriedTime"
import { assert, describe, it } from "@effect/vitest"

/** The other clock stood at `toldMillis` when the counter was in the middle of a short way there and back. */
const exactly = (toldMillis: number, counterMillis: number): CarriedTime.Measurement => ({
  toldMillis,
  askedAt: counterMillis - 1,
  answeredAt: counterMillis + 1
})

describe("CarriedTime", () => {
  it("goes on with the counter from what was measured", () => {
    const time = CarriedTime.make(exactly(1_000_000, 500))
    assert.strictEqual(time.at(500), 1_000_000)
    assert.strictEqual(time.at(10_500), 1_010_000)
  })

  it("goes forward at once where it was behind", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    const wrong = time.correct(exactly(1_040_000, 10_000), 10_001)
    assert.closeTo(wrong, 30_000, 2)
    assert.closeTo(time.at(10_001), 1_040_001, 2)
  })

  it("is never set back where it was ahead: it runs slower until the other clock has caught up", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    const wrong = time.correct(exactly(980_000, 10_000), 10_001)
    assert.closeTo(wrong, -30_000, 2)
    assert.strictEqual(time.at(10_001), 1_010_001)
    assert.strictEqual(time.at(20_001), 1_015_001)
    assert.closeTo(time.at(70_001), 1_040_001, 2)
    assert.closeTo(time.at(80_001), 1_050_001, 2)
  })

  it("never goes back, whatever is measured and however late that is told", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    let state = 7
    const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
    let counter = 0
    let told = time.at(counter)
    for (let n = 0; n < 20_000; n++) {
      counter += next(2_000)
      assert.isAtLeast(time.at(counter), told)
      told = time.at(counter)
      if (next(4) > 0) continue
      const askedAt = counter
      const answeredAt = askedAt + next(5_000)
      const toldMillis = 1_000_000 + askedAt + next(120_000) - 60_000
      counter = answeredAt + next(500)
      told = time.at(counter)
      time.correct({ toldMillis, askedAt, answeredAt }, counter)
      assert.isAtLeast(time.at(counter), told - 1e-6)
      told = time.at(counter)
    }
  })

  it("takes of a slow answer no more than it proves", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    // The time that was told is right for any moment of four seconds, so it contradicts nothing.
    assert.strictEqual(time.correct({ toldMillis: 1_013_000, askedAt: 10_000, answeredAt: 14_000 }, 14_000), 0)
    assert.strictEqual(time.at(20_000), 1_020_000)
    // Whatever the moment was, this is at least two seconds later.
    assert.strictEqual(time.correct({ toldMillis: 1_026_000, askedAt: 20_000, answeredAt: 24_000 }, 24_000), 2_000)
  })

  it("mends what a slow first answer left open as soon as a quick one comes", () => {
    const time = CarriedTime.make({ toldMillis: 1_000_000, askedAt: 0, answeredAt: 4_000 })
    assert.strictEqual(time.at(2_000), 1_000_000)
    time.correct(exactly(1_012_000, 10_000), 10_001)
    assert.closeTo(time.at(10_001), 1_012_001, 2)
  })
})
