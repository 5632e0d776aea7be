/** Tests of trading periods and funding hours at their edges, in local time on both sides of a clock change. */
import { initialInstruments } from "@venue/domain/Instrument"
import { isLive, limitShareBps, marketHours, period, quarterMillis, volumeDayBegan } from "@venue/domain/MarketHours"
import { assert, describe, it } from "@effect/vitest"

const named = (base: string) => initialInstruments.find((instrument) => instrument.base === base)!
const at = (time: string): number => Date.parse(time)

it("starts the volume day at 20:00 in Chicago, even on days when the clocks change", () => {
  const began = (time: string) => new Date(volumeDayBegan(at(time))).toISOString().slice(0, 16)
  assert.strictEqual(began("2026-11-20T15:00Z"), "2026-11-20T02:00")
  assert.strictEqual(began("2026-11-21T01:59:59Z"), "2026-11-20T02:00")
  assert.strictEqual(began("2026-11-21T02:00Z"), "2026-11-21T02:00")
  assert.strictEqual(began("2026-07-15T15:00Z"), "2026-07-15T01:00")
  assert.strictEqual(began("2026-03-08T15:00Z"), "2026-03-08T02:00")
  assert.strictEqual(began("2026-03-09T00:59Z"), "2026-03-08T02:00")
  assert.strictEqual(began("2026-11-01T15:00Z"), "2026-11-01T01:00")
  assert.strictEqual(began("2026-11-02T01:59Z"), "2026-11-01T01:00")
})

describe("trading period", () => {
  it("opens stocks from 09:30 to 16:00 in New York, in winter and in summer", () => {
    const stock = named("AAPL")
    assert.strictEqual(period(stock, at("2026-11-20T15:00Z")), "OPEN")
    assert.strictEqual(period(stock, at("2026-11-19T14:29Z")), "OVERNIGHT")
    assert.strictEqual(period(stock, at("2026-11-19T14:30Z")), "OPEN")
    assert.strictEqual(period(stock, at("2026-07-15T13:29Z")), "OVERNIGHT")
    assert.strictEqual(period(stock, at("2026-07-15T13:30Z")), "OPEN")
    assert.strictEqual(period(stock, at("2026-07-15T20:00Z")), "OVERNIGHT")
  })

  it("returns WEEKEND for stocks from Friday's close to Monday's open", () => {
    const stock = named("AAPL")
    assert.strictEqual(period(stock, at("2026-11-20T20:59Z")), "OPEN")
    assert.strictEqual(period(stock, at("2026-11-20T21:00Z")), "WEEKEND")
    assert.strictEqual(period(stock, at("2026-11-21T15:00Z")), "WEEKEND")
    assert.strictEqual(period(stock, at("2026-11-23T14:29Z")), "WEEKEND")
    assert.strictEqual(period(stock, at("2026-11-23T14:30Z")), "OPEN")
  })

  it("returns OVERNIGHT for indices and commodities from 16:00 to 17:00 in Chicago", () => {
    for (const future of [named("US500"), named("GOLD"), named("CL")]) {
      assert.strictEqual(period(future, at("2026-11-19T21:59Z")), "OPEN")
      assert.strictEqual(period(future, at("2026-11-19T22:00Z")), "OVERNIGHT")
      assert.strictEqual(period(future, at("2026-11-19T23:00Z")), "OPEN")
      assert.strictEqual(period(future, at("2026-11-20T22:00Z")), "WEEKEND")
      assert.strictEqual(period(future, at("2026-11-22T22:59Z")), "WEEKEND")
      assert.strictEqual(period(future, at("2026-11-22T23:00Z")), "OPEN")
    }
  })

  it("starts each period on a quarter hour, even in a week in which the clocks change", () => {
    for (const instrument of [named("AAPL"), named("US500"), named("GOLD"), named("EUR")]) {
      let before = period(instrument, at("2026-10-30T00:00Z"))
      for (let minute = at("2026-10-30T00:00Z"); minute < at("2026-11-06T00:00Z"); minute += 60_000) {
        const now = period(instrument, minute)
        if (now !== before) assert.strictEqual(minute % quarterMillis, 0)
        before = now
      }
    }
  })

  it("opens FX from Sunday 22:00 to Friday 22:00 UTC", () => {
    const euro = named("EUR")
    assert.strictEqual(period(euro, at("2026-11-20T21:59Z")), "OPEN")
    assert.strictEqual(period(euro, at("2026-11-20T22:00Z")), "WEEKEND")
    assert.strictEqual(period(euro, at("2026-11-22T21:59Z")), "WEEKEND")
    assert.strictEqual(period(euro, at("2026-11-22T22:00Z")), "OPEN")
  })

  it("returns the same period for an instant, whatever instants were queried before", () => {
    const stock = named("AAPL")
    const times = [at("2026-11-01T05:59Z"), at("2026-07-15T13:30Z"), at("2026-11-19T14:30Z"), at("2026-07-15T13:30Z")]
    assert.deepStrictEqual(
      times.map((time) => period(stock, time)),
      ["WEEKEND", "OPEN", "OPEN", "OPEN"]
    )
  })

  it("returns the share of the position and open-interest limits that applies in each period", () => {
    assert.deepStrictEqual((["OPEN", "OVERNIGHT", "WEEKEND"] as const).map(limitShareBps), [10_000, 5_000, 1_000])
  })
})

describe("funding hours", () => {
  it("uses the funding hours of the product class, but those of FX for precious metals", () => {
    assert.deepStrictEqual(marketHours(named("CL")).sunday, { open: "17:00:00", close: "16:00:00" })
    assert.strictEqual(marketHours(named("CL")).friday, undefined)
    assert.strictEqual(marketHours(named("GOLD")).tz, "UTC")
    assert.strictEqual(marketHours(named("COPPER")).tz, "America/Chicago")
    assert.strictEqual(marketHours(named("AAPL")).saturday, undefined)
  })

  it("ends funding hours on the next day if their end is not after their start", () => {
    assert.isTrue(isLive(named("CL"), at("2026-11-20T21:59Z")))
    assert.isFalse(isLive(named("CL"), at("2026-11-20T22:00Z")))
    assert.isFalse(isLive(named("CL"), at("2026-11-19T22:30Z")))
    assert.isTrue(isLive(named("AAPL"), at("2026-11-21T04:59Z")))
    assert.isFalse(isLive(named("AAPL"), at("2026-11-21T05:00Z")))
    assert.isTrue(isLive(named("GOLD"), at("2026-11-22T22:00Z")))
  })
})
