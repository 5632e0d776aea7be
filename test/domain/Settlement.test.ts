/** Tests of the settlement price, which is the average oracle price of the last half hour of trading (rule 19.3). */
import * as Settlement from "@venue/domain/Settlement"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { apple, usd } from "../matching/EngineScene.ts"

const minutes = (count: number) => count * 60_000

describe("average before a settlement", () => {
  it("counts a price once for every 5-second boundary at which it was the current price", () => {
    const begun = Settlement.sampled(Settlement.unsampled, undefined, minutes(100))
    const first = Settlement.sampled(begun, usd(100), minutes(120))
    const second = Settlement.sampled(first, usd(130), minutes(130))
    assert.strictEqual(Settlement.average(second, 0), usd(110))
  })

  it("drops samples from more than half an hour of trading ago, and does not count pauses as trading", () => {
    const begun = Settlement.sampled(Settlement.unsampled, undefined, minutes(100))
    const long = Settlement.sampled(begun, usd(100), minutes(500))
    const half = Settlement.sampled(long, usd(200), minutes(515))
    const paused = Settlement.sampled(half, undefined, minutes(900))
    assert.strictEqual(Settlement.average(paused, 0), usd(150))
    assert.strictEqual(Settlement.average(Settlement.sampled(paused, usd(200), minutes(930)), 0), usd(200))
  })

  it("returns the current price if there are no samples", () => {
    assert.strictEqual(Settlement.average(Settlement.unsampled, usd(7)), usd(7))
  })

  it("returns the average of the last 360 samples, whatever the prices and times", () => {
    const step = fc.tuple(
      fc.option(fc.integer({ min: 1, max: 1_000_000_000_000_000 })),
      fc.integer({ min: 0, max: 900_000 })
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let atMillis = 1_790_000_000_000
        let samples = Settlement.sampled(Settlement.unsampled, undefined, atMillis)
        const list: Array<bigint> = []
        for (const [priceE8, later] of steps) {
          for (let mark = Math.floor(atMillis / 5_000) + 1; mark <= Math.floor((atMillis + later) / 5_000); mark++)
            if (priceE8 !== null) list.push(BigInt(priceE8))
          samples = Settlement.sampled(samples, priceE8 ?? undefined, (atMillis += later))
        }
        const last = list.slice(-360)
        const expected = last.length === 0 ? 1n : last.reduce((sum, each) => sum + each, 0n) / BigInt(last.length)
        assert.strictEqual(BigInt(Settlement.average(samples, 1)), expected)
      })
    )
  })
})

describe("settlement price", () => {
  it("rounds the settlement price to the nearest tick, rounds a tie up, and returns at least one tick", () => {
    const priced = [190.124, 190.125, 190.1249999, 0.001].map((price) => Settlement.nearestTicks(apple, usd(price)))
    assert.deepStrictEqual(priced, [19_012, 19_013, 19_012, 1])
  })
})
