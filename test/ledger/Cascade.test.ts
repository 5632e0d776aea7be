/**
 * Test of thousands of liquidated accounts, each of which pushes the price towards the next liquidation, without loss
 * of money.
 */
import * as Engine from "@venue/matching/Engine"
import { assert, it } from "@effect/vitest"
import { Cascade } from "./Cascade.ts"

it(
  "I25 I26 I28: after 10,000 liquidations, all sums are zero and neither the fund nor a deleveraged account is negative",
  { timeout: 900_000 },
  () => {
    const cascade = new Cascade(1)
    const { chance, engine, follower } = cascade
    cascade.mark(200)
    const shorts = Array.from({ length: 250 }, (_, n) =>
      cascade.join(`short ${n}`, (8_000 * chance.whole(15, 100)) / 100)
    )
    for (let n = 0; n < 5; n++) cascade.join(`provider ${n}`, 60_000, 500_000)
    const bids = cascade.join("bids", 2_000_000)
    const longs = Array.from({ length: 10_000 }, (_, n) => {
      const lots = chance.whole(100, 9_000)
      // Equity from just above the maintenance margin up to a fifth of the position's value.
      return [cascade.join(`long ${n}`, (lots / 1_000) * 200 * (chance.whole(72, 200) / 1_000)), lots] as const
    })
    let place = 0
    for (const [userId, lots] of longs) {
      cascade.place(shorts[place++ % shorts.length]!, "SELL", lots, 200, "GTC")
      cascade.place(userId, "BUY", lots, 200, "IOC")
    }
    for (let price = 199; price > 150; price -= 1) cascade.place(bids, "BUY", 3_000, price, "GTC")

    for (const price of [198, 195, 193, 192.335, 190, 188, 187.004, 185, 181, 176.66, 165, 160]) {
      cascade.mark(price)
      cascade.calm()
    }
    assert.isAtLeast(cascade.liquidated.size, 10_000)
    for (const kind of ["LIQUIDATION", "TAKEOVER", "DELEVERAGING", "BANKRUPTCY"]) {
      assert.isAbove(cascade.kinds.get(kind) ?? 0, 50, kind)
    }
    assert.deepStrictEqual(cascade.inLiquidation(), [])
    let left = 0n
    for (const userId of cascade.traders.keys()) {
      const equity = cascade.equity(userId)
      if (equity < 0n) assert.fail(`${userId} has ${equity}`)
      left += equity
    }
    const { reserveFund, venueFees } = Engine.totals(engine)
    // The value of each position is rounded down.
    const rounded = cascade.credited - left - BigInt(reserveFund + venueFees)
    assert.isTrue(rounded >= 0n && rounded < BigInt(cascade.traders.size), `${rounded} came or went`)
    assert.strictEqual(Engine.hash(follower), Engine.hash(engine))
    const restored = Engine.restore(engine.instrument, engine.settings, structuredClone(Engine.snapshot(engine)))
    assert.strictEqual(Engine.hash(restored), Engine.hash(engine))
  }
)
