/** Tests of time extrapolated between measurements. It never goes back, and each measurement corrects it. */
import * as CarriedTime from "@venue/postgres/CarriedTime"
import { assert, describe, it } from "@effect/vitest"

/** Measurement with a 2 ms round trip. In the middle of the round trip, the remote clock showed `remoteMillis`. */
const exactly = (remoteMillis: number, counterMillis: number): CarriedTime.Measurement => ({
  remoteMillis,
  sentAt: counterMillis - 1,
  receivedAt: counterMillis + 1
})

describe("CarriedTime", () => {
  it("advances the measured time with the node's counter", () => {
    const time = CarriedTime.make(exactly(1_000_000, 500))
    assert.strictEqual(time.at(500), 1_000_000)
    assert.strictEqual(time.at(10_500), 1_010_000)
  })

  it("moves the time forward immediately if the remote clock is ahead", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    const wrong = time.correct(exactly(1_040_000, 10_000), 10_001)
    assert.closeTo(wrong, 30_000, 2)
    assert.closeTo(time.at(10_001), 1_040_001, 2)
  })

  it("advances the time more slowly while it is ahead of the remote clock", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    const wrong = time.correct(exactly(980_000, 10_000), 10_001)
    assert.closeTo(wrong, -30_000, 2)
    assert.strictEqual(time.at(10_001), 1_010_001)
    assert.strictEqual(time.at(20_001), 1_015_001)
    assert.closeTo(time.at(70_001), 1_040_001, 2)
    assert.closeTo(time.at(80_001), 1_050_001, 2)
  })

  it("the time never goes back, whatever measurements and delays occur", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    let state = 7
    const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below
    let counter = 0
    let last = time.at(counter)
    for (let n = 0; n < 20_000; n++) {
      counter += next(2_000)
      assert.isAtLeast(time.at(counter), last)
      last = time.at(counter)
      if (next(4) > 0) continue
      const sentAt = counter
      const receivedAt = sentAt + next(5_000)
      const remoteMillis = 1_000_000 + sentAt + next(120_000) - 60_000
      counter = receivedAt + next(500)
      last = time.at(counter)
      time.correct({ remoteMillis, sentAt, receivedAt }, counter)
      assert.isAtLeast(time.at(counter), last - 1e-6)
      last = time.at(counter)
    }
  })

  it("after a slow response, corrects the time only by the error that is certain despite the delay", () => {
    const time = CarriedTime.make(exactly(1_000_000, 0))
    // The response was correct at some moment of its four-second round trip, so it does not contradict the current
    // time.
    assert.strictEqual(time.correct({ remoteMillis: 1_013_000, sentAt: 10_000, receivedAt: 14_000 }, 14_000), 0)
    assert.strictEqual(time.at(20_000), 1_020_000)
    // The remote time is at least two seconds ahead of the current time at every moment of the round trip.
    assert.strictEqual(time.correct({ remoteMillis: 1_026_000, sentAt: 20_000, receivedAt: 24_000 }, 24_000), 2_000)
  })

  it("the first fast response corrects the clock offset measured from a slow first response", () => {
    const time = CarriedTime.make({ remoteMillis: 1_000_000, sentAt: 0, receivedAt: 4_000 })
    assert.strictEqual(time.at(2_000), 1_000_000)
    time.correct(exactly(1_012_000, 10_000), 10_001)
    assert.closeTo(time.at(10_001), 1_012_001, 2)
  })
})
