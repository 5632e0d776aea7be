/** Tests of funding, with the worked examples of rule 10. */
import * as Funding from "@venue/domain/Funding"
import { initialInstruments } from "@venue/domain/Instrument"
import { flat } from "@venue/domain/Position"
import { assert, describe, it } from "@effect/vitest"

const apple = initialInstruments[0]!
const euro = initialInstruments.find(({ symbol }) => symbol === "EUR-USD")!
const usd = (price: number): number => Math.round(price * 1e8)
const bps = (number: number): number => Math.round(number * 1e6)
const level = (units: number, price: number) => ({
  priceTicks: Math.round(price * 100),
  quantityLots: Math.round(units * 1_000)
})

describe("impact price", () => {
  it("returns the average price of selling 10,000 USD into the bids", () => {
    const price = Funding.impactPriceE8(apple, "BUY", [level(30, 200.6), level(100, 200.4)])!
    // 30 units bring 6,018, and 19.870 units bring the remaining 3,982.
    assert.strictEqual(price, Math.floor((10_000 / (30 + 3_982 / 200.4)) * 1e8))
    assert.strictEqual(Math.round(price / 1e5), 200_520)
    assert.strictEqual(Math.round((10_000 / (price / 1e8)) * 1_000), 49_870)
  })

  it("rounds the impact prices so that the premium becomes smaller rather than larger", () => {
    const levels = [level(1, 200), level(60, 200.07)]
    const [bid, ask] = [Funding.impactPriceE8(apple, "BUY", levels)!, Funding.impactPriceE8(apple, "SELL", levels)!]
    assert.strictEqual(ask - bid, 1)
  })

  it("returns the level's price if one level holds exactly the notional, and undefined if it holds less", () => {
    assert.strictEqual(Funding.impactPriceE8(apple, "BUY", [level(50, 200)]), usd(200))
    assert.strictEqual(Funding.impactPriceE8(apple, "SELL", [level(50, 200)]), usd(200))
    assert.isUndefined(Funding.impactPriceE8(apple, "BUY", [level(49.999, 200)]))
    assert.isUndefined(Funding.impactPriceE8(apple, "SELL", []))
  })

  it("computes impact prices of FX with a notional of 100,000 USD", () => {
    const bid = { priceTicks: 108_500, quantityLots: 92_165 }
    assert.isUndefined(Funding.impactPriceE8(euro, "BUY", [bid]))
    assert.strictEqual(Funding.impactPriceE8(euro, "BUY", [{ ...bid, quantityLots: 92_166 }]), usd(1.085))
  })
})

describe("premium", () => {
  it("the premium is the impact bid's distance above, or the impact ask's distance below, the external price", () => {
    assert.strictEqual(Funding.premiumE10(usd(200), usd(200.5), usd(200.6)), bps(25))
    assert.strictEqual(Funding.premiumE10(usd(200), usd(199.4), usd(199.5)), bps(-25))
    assert.strictEqual(Funding.premiumE10(usd(200), usd(199.5), usd(200.5)), 0)
  })

  it("ignores a side of the book that has no impact price", () => {
    assert.strictEqual(Funding.premiumE10(usd(200), undefined, usd(199.5)), bps(-25))
    assert.strictEqual(Funding.premiumE10(usd(200), usd(200.5), undefined), bps(25))
    assert.strictEqual(Funding.premiumE10(usd(200), undefined, undefined), 0)
  })

  it("rounds the premium towards zero and limits it to 100 % of the external price", () => {
    assert.strictEqual(Funding.premiumE10(300, 301, undefined), 33_333_333)
    assert.strictEqual(Funding.premiumE10(300, undefined, 299), -33_333_333)
    assert.strictEqual(Funding.premiumE10(usd(1), usd(200), undefined), 10_000_000_000)
  })
})

describe("funding rate", () => {
  const after = (...premiums: ReadonlyArray<number>) =>
    premiums.reduce((samples, premium) => Funding.sampled(samples, bps(premium), 1), Funding.noSamples)

  it("weighs later samples more: 20, 24 and 28 basis points give an hourly rate of 0.20333333 basis points", () => {
    const samples = after(20, 24, 28)
    assert.strictEqual(Math.trunc(samples.weighted / 6), 25_333_333)
    // 0.20333333 basis points per hour are 4.88 per day and 17.8 % per year.
    const rate = Funding.rateE12(samples)
    assert.strictEqual(rate, 20_333_333)
    assert.strictEqual(Math.round((rate * 24) / 1e6), 488)
    assert.strictEqual(Math.round((rate * 24 * 365) / 1e9), 178)
  })

  it("returns a hundredth of the amount by which the average premium exceeds the dead zone of 5 basis points", () => {
    assert.strictEqual(Funding.rateE12(after(25)), 20_000_000)
    assert.strictEqual(Funding.rateE12(after(-25)), -20_000_000)
    for (const within of [4, 5, -5, 0]) assert.strictEqual(Funding.rateE12(after(within)), 0)
    assert.strictEqual(Funding.rateE12(Funding.noSamples), 0)
  })

  it("returns the same rate whether equal samples are added together or one by one", () => {
    const together = Funding.sampled(Funding.sampled(Funding.noSamples, bps(7), 300), bps(-3), 420)
    const apart = after(...Array.from({ length: 720 }, (_, n) => (n < 300 ? 7 : -3)))
    assert.deepStrictEqual(together, apart)
  })

  it("computes the rate of an hour at the maximum premium exactly", () => {
    const { weighted } = Funding.sampled(Funding.noSamples, 10_000_000_000, 720)
    assert.isTrue(Number.isSafeInteger(weighted))
    assert.strictEqual(Funding.rateE12(Funding.sampled(Funding.noSamples, -10_000_000_000, 720)), -9_995_000_000)
  })
})

describe("funding payment", () => {
  const funded = { rateE12: 20_000_000, markE8: usd(204) }

  it("a long position of 50 at a mark of 204 pays 0.204 USD at a funding rate of 0.2 basis points", () => {
    assert.strictEqual(Funding.payment(apple, 50_000, funded), -204_000)
    assert.strictEqual(Funding.payment(apple, -50_000, funded), 204_000)
    assert.strictEqual(Funding.payment(apple, 50_000, { ...funded, rateE12: -20_000_000 }), 204_000)
    assert.strictEqual(Funding.payment(apple, 0, funded), 0)
  })

  it("rounds a funding payment up for the payer and down for the receiver", () => {
    assert.strictEqual(Funding.payment(apple, 1, funded), -5)
    assert.strictEqual(Funding.payment(apple, -1, funded), 4)
  })

  it("adds the funding payment to the position that causes it", () => {
    const position = { ...flat(), quantityLots: 50_000, funding: 1_000 }
    assert.strictEqual(Funding.book(position, apple, funded), -204_000)
    assert.deepStrictEqual(position, { ...flat(), quantityLots: 50_000, funding: -203_000 })
  })
})
