/** Funding: premium samples, and the hourly payments between positions. */
import { AccountId } from "@venue/domain/AccountId"
import { hourMillis, sampleMillis, type Funded } from "@venue/domain/Funding"
import type { MarketEvent } from "@venue/domain/Market"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { apple, eventOf, friday, Scene, usd } from "./EngineScene.ts"

/** End of the hour that begins at `friday`. The underlying market is open during the whole hour. */
const end = friday + hourMillis
/** Returns all events except prices. */
const tick = (scene: Scene, atMillis: number) =>
  scene.ask({ _tag: "Tick" }, atMillis).filter(({ _tag }) => _tag !== "Priced")

/** Returns a market with a long and a short of 50 at price and mark 204, and a bid `premium` basis points above. */
const market = (premium: number) => {
  const scene = new Scene(204)
  scene.sell(50, 204, { account: "short" })
  scene.buy(50, 204, { account: "long" })
  scene.buy(60, Math.round(204 * (100 + premium / 100)) / 100, { account: "bidder" })
  return scene
}
const funding = (scene: Scene, ...accounts: ReadonlyArray<string>) =>
  accounts.map((account) => Engine.view(scene.engine, AccountId.make(account)).position.funding)
const said = (events: ReadonlyArray<MarketEvent>) =>
  events.map((event) =>
    event._tag === "Sampled" ? [event.premiumE10, event.atMillis - friday] : [event._tag, event.atMillis - friday]
  )

describe("premium samples", () => {
  it("takes a sample every five seconds from the book at that time, before the next command is executed", () => {
    const scene = new Scene(200)
    assert.deepStrictEqual(said(scene.buy(60, 200.5, {})), [["Accepted", 0]])
    const later = scene.placing("BUY", 1, 200.6, { expires: end })
    assert.deepStrictEqual(said(scene.ask(later, friday + 12_345)), [
      [25_000_000, sampleMillis],
      ["Accepted", 12_345]
    ])
    const next = scene.placing("BUY", 60, 200.6, { expires: end })
    assert.deepStrictEqual(said(scene.ask(next, friday + 15_000)).slice(0, 1), [[25_100_251, 15_000]])
  })

  it("records consecutive equal samples as one event", () => {
    const scene = market(25)
    assert.lengthOf(tick(scene, friday + 5_000), 1)
    const later: Array<MarketEvent> = []
    for (let at = friday + 5_001; at < end; at += 777) later.push(...tick(scene, at))
    assert.deepStrictEqual(said(later), [["HoldersCounted", 60_168]])
  })

  it("samples are taken only during funding hours", () => {
    const scene = market(25)
    tick(scene, friday + 5_000)
    // Funding hours end on Saturday at 00:00 in New York.
    const close = Date.UTC(2026, 10, 21, 5)
    const rates: Array<number> = []
    for (let at = end; at <= close + 3 * hourMillis; at += hourMillis) {
      const events = tick(scene, at)
      const sampled = events.filter(({ _tag }) => _tag === "Sampled")
      assert.deepStrictEqual(
        sampled.map((event) => [event.atMillis, event._tag === "Sampled" ? event.premiumE10 : 0]),
        at === close + hourMillis ? [[close + 5_000, null]] : []
      )
      rates.push(eventOf(events, "Funded").rateE12)
    }
    assert.deepStrictEqual(rates.slice(0, -3), new Array(14).fill(rates[0]))
    assert.isAbove(rates[0]!, 0)
    assert.deepStrictEqual(rates.slice(-3), [0, 0, 0])
  })

  it("pays a full hour's funding for an hour in which funding hours begin, at the average of that hour's samples", () => {
    const instrument = { ...apple, category: "COMMODITY" as const, base: "OIL" }
    // Futures open on Sunday at 17:00 in Chicago. The hour before has no sample.
    const open = Date.UTC(2026, 10, 22, 23)
    const scene = new Scene()
    scene.engine = Engine.make(instrument, Engine.defaults)
    scene.now = open - 1_800_000
    scene.ask({ _tag: "Observe", priceE8: usd(204), teller: "operator" })
    scene.buy(60, 204.51)
    assert.strictEqual(eventOf(tick(scene, open), "Funded").rateE12, 0)
    assert.deepStrictEqual(said(tick(scene, open + 5_000))[0], [25_000_000, open + 5_000 - friday])
    assert.strictEqual(eventOf(tick(scene, open + hourMillis), "Funded").rateE12, 20_000_000)
  })
})

describe("payment of hourly funding", () => {
  it("I32: pays an hour's funding once at its end: 0.204 USD for a long position of 50 at mark 204 and 0.2 basis points", () => {
    const scene = market(25)
    tick(scene, friday + 5_000)
    assert.strictEqual(Engine.prices(scene.engine)!.markE8, usd(204))
    assert.deepStrictEqual(said(tick(scene, end - 1)), [["HoldersCounted", hourMillis - 1]])
    const funded: Funded = eventOf(tick(scene, end), "Funded")
    const expected = { rateE12: 20_000_000, markE8: usd(204), fromMillis: friday, skipped: false, atMillis: end }
    assert.deepInclude(funded, expected)
    assert.deepStrictEqual(funding(scene, "long", "short", "bidder"), [-204_000, 204_000, 0])
    for (const again of [end, end + 1, end - 60_000]) assert.deepStrictEqual(tick(scene, again), [])
  })

  it("I32: pays funding on the positions at the end of the hour, even if another command arrives at that moment", () => {
    const scene = market(25)
    const flat = scene.placing("SELL", 50, 204, { account: "long", expires: end + 5_000 })
    assert.deepStrictEqual(
      scene.ask(flat, end).map(({ _tag }) => _tag),
      ["Sampled", "Funded", "HoldersCounted", "Accepted", "Traded"]
    )
    assert.deepStrictEqual(
      ["long", "bidder"].map((account) => scene.position(account)),
      [0, 50]
    )
    assert.deepStrictEqual(funding(scene, "long", "short", "bidder"), [-204_000, 204_000, 0])
  })

  it("I26 I32: the rounding remainder goes to the reserve fund, so that all cash sums to zero", () => {
    const scene = new Scene(204.03)
    for (const [account, quantity] of [
      ["a", 0.333],
      ["b", 0.334],
      ["c", -0.111]
    ] as const) {
      scene.hold(account, quantity, 204)
    }
    scene.buy(60, 204.55, { account: "bidder" })
    const { remainder } = eventOf(tick(scene, end), "Funded")
    const all = funding(scene, "a", "b", "c", "house", "bidder")
    assert.strictEqual(
      all.reduce((sum, each) => sum + each, 0),
      -remainder
    )
    assert.isAbove(remainder, 0)
    assert.deepInclude(Engine.totals(scene.engine), { cash: 0, positions: 0, reserveFund: remainder })
  })

  it("an hour costs nothing if its average premium is within 5 basis points", () => {
    const scene = market(4)
    assert.deepInclude(eventOf(tick(scene, end), "Funded"), { rateE12: 0, skipped: false })
    assert.deepStrictEqual(funding(scene, "long", "short"), [0, 0])
  })

  it("later samples weigh more: half an hour at 25 and half an hour at 50 basis points average 43.75", () => {
    const scene = market(25)
    tick(scene, friday + hourMillis / 2)
    scene.ask(scene.placing("BUY", 60, 205.02, { account: "bidder", expires: end }), friday + hourMillis / 2)
    // The weighted average is (25 × 64,980 + 50 × 194,580) / 259,560. The rate is (average - 5 basis points) / 100.
    const average = Math.trunc((25_000_000 * 64_980 + 50_000_000 * 194_580) / 259_560)
    assert.strictEqual(eventOf(tick(scene, end), "Funded").rateE12, average - 5_000_000)
  })
})

describe("funding on a stale price", () => {
  const outside = (atMillis: number) => {
    const scene = market(25)
    scene.ask({ _tag: "Observe", priceE8: usd(204), teller: "external" }, atMillis)
    return scene
  }

  it("I29: takes no sample while the price is stale", () => {
    const scene = outside(friday + 20_000)
    assert.deepStrictEqual(said(tick(scene, friday + 200_000)), [
      [null, 80_000],
      ["HoldersCounted", 200_000]
    ])
    scene.ask({ _tag: "Observe", priceE8: usd(204), teller: "external" }, friday + 201_000)
    assert.deepStrictEqual(said(tick(scene, friday + 215_000)), [[25_000_000, 205_000]])
  })

  it("I29 I32: pays no funding if the price is stale, even if samples were taken earlier", () => {
    const stale = { rateE12: 0, skipped: true, fromMillis: friday, atMillis: end }
    assert.deepInclude(eventOf(tick(outside(end - 60_000), end), "Funded"), stale)
    assert.deepInclude(eventOf(tick(outside(end - 50_000), end), "Funded"), { rateE12: 20_000_000, skipped: false })
  })
})

describe("an hour whose end is processed late", () => {
  it("I32: still pays an hour up to one minute after its end, for example after a failover", () => {
    const scene = market(25)
    assert.deepInclude(eventOf(tick(scene, end + 60_000), "Funded"), { rateE12: 20_000_000, atMillis: end })
  })

  it("I32: more than one minute after an hour's end, skips all unpaid hours, and pays the next hour", () => {
    const scene = market(25)
    const skipped = { rateE12: 0, skipped: true, fromMillis: friday, atMillis: end }
    assert.deepInclude(eventOf(tick(scene, end + 60_001), "Funded"), skipped)
    assert.deepStrictEqual(tick(scene, end + 60_002), [])
    assert.isFalse(eventOf(tick(scene, end + hourMillis), "Funded").skipped)

    const long = market(25)
    const events = tick(long, end + 2 * hourMillis + 5)
    assert.lengthOf(
      events.filter(({ _tag }) => _tag === "Funded"),
      1
    )
    assert.deepInclude(eventOf(events, "Funded"), { ...skipped, atMillis: end + 2 * hourMillis })
    assert.deepStrictEqual(funding(long, "long", "short"), [0, 0])
  })

  it("I32: processes each hour once, even if the clock jumps forward or back", () => {
    const scene = market(25)
    const times = [end - 5, end + 3, end - 4_000_000, end + 2, end + hourMillis, end, end + hourMillis + 1]
    const hours = times.flatMap((at) => tick(scene, at)).filter(({ _tag }) => _tag === "Funded")
    assert.deepStrictEqual(
      hours.map(({ atMillis }) => atMillis),
      [end, end + hourMillis]
    )
  })
})

it("I32: a market rebuilt around the end of an hour pays the hour once, like a market that never crashed", () => {
  for (const [before, after] of [
    [end - 1, end],
    [end, end],
    [end - 2_500, end + 30_000]
  ] as const) {
    const scene = market(25)
    tick(scene, before)
    const replayed = Engine.make(apple, Engine.defaults)
    for (const event of scene.events) Engine.apply(replayed, event)
    const restored = Engine.restore(apple, Engine.defaults, Engine.snapshot(scene.engine))
    const live = tick(scene, after)
    for (const engine of [replayed, restored]) {
      const events: Array<MarketEvent> = []
      Engine.decide(engine, { _tag: "Tick" }, after, events)
      assert.deepStrictEqual(events, [...live])
      assert.strictEqual(Engine.hash(engine), Engine.hash(scene.engine))
    }
    assert.deepStrictEqual(funding(scene, "long", "short"), [-204_000, 204_000])
  }
})
