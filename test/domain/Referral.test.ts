import { rewardOf } from "@venue/domain/Referral"
import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"

const usd = (amount: number) => BigInt(Math.round(amount * 1e6))
const most = usd(1_000_000_000)

it("rule 13: credits the referrer 0.714 for a fee of 10.20 of which 3.06 go to the builder", () => {
  const reward = rewardOf({ base: usd(10.2 - 3.06), volume: usd(10_200) }, 0n)
  assert.strictEqual(reward, usd(0.714))
  assert.strictEqual(usd(3.06) + reward + usd(5.406) + usd(1.02), usd(10.2))
})

it("rounds the referrer's tenth of the fees down to a multiple of 1e-6 USD", () => {
  assert.strictEqual(rewardOf({ base: 19n, volume: 1n }, 0n), 1n)
  assert.strictEqual(rewardOf({ base: 9n, volume: 1n }, 0n), 0n)
})

it("pays no referral reward for volume beyond 1,000,000,000 USD, and a proportional one on the day that passes it", () => {
  const day = { base: usd(1_000), volume: usd(2_000_000) }
  assert.strictEqual(rewardOf(day, most - usd(2_000_000)), usd(100))
  assert.strictEqual(rewardOf(day, most - usd(500_000)), usd(25))
  assert.strictEqual(rewardOf(day, most), 0n)
  assert.strictEqual(rewardOf(day, most + 1n), 0n)
})

it("pays a referrer at most a tenth of the fees, whatever the trades", () => {
  const amount = fc.bigInt({ min: 0n, max: 2n ** 80n })
  fc.assert(
    fc.property(amount, amount, amount, (base, volume, before) => {
      const reward = rewardOf({ base, volume }, before)
      assert.isTrue(reward >= 0n && reward * 10n <= base)
    })
  )
})
