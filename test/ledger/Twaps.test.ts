/** Tests of TWAPs in the ledger: acceptance, next steps and child orders. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { lotsOf, ticksOf } from "@venue/domain/Instrument"
import type { Place } from "@venue/domain/Market"
import { type AddTwap, childId, type Twap, type TwapFlaw, TwapId, unplaced } from "@venue/domain/Twap"
import * as Ledger from "@venue/ledger/Ledger"
import * as TwapCommands from "@venue/ledger/TwapCommands"
import * as Twaps from "@venue/ledger/Twaps"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { id } from "../Id.ts"
import { aapl, alice, gold, instruments, make, pricedAt, type Scene } from "./Scene.ts"

const account = primaryAccountOf(alice)
const golden = instruments.get(gold)!
/** Time of the tests, in milliseconds. */
const now = 1_000

const requestOf = (name: string, over: Partial<AddTwap> = {}): AddTwap => ({
  _tag: "AddTwap",
  commandId: id(name),
  expiresAtMillis: now + 5_000,
  accountId: account,
  symbol: aapl,
  side: "BUY",
  totalQuantity: 10,
  slices: 3,
  intervalSeconds: 30,
  reduceOnly: false,
  clientTwapId: "",
  startMillis: 0,
  worstPrice: 0,
  builderCode: "code",
  ...over
})

const funded = (): Scene => {
  const scene = make()
  scene.credit(10_000)
  scene.price(aapl, 200)
  return scene
}
const add = (scene: Scene, name = "twap", over: Partial<AddTwap> = {}) => {
  Result.getOrThrow(scene.ask(requestOf(name, over)))
  return scene.trader.twaps.get(TwapId.make(id(name).text))!
}
const envelope = (name: string) => ({ commandId: id(name), expiresAtMillis: 9_000, traderEpoch: 4 })
/** Records that the market opened the TWAP, optionally with progress. */
const opened = (scene: Scene, name = "twap", over: Partial<AddTwap> = {}, progress: Partial<Twap> = {}) => {
  const twap = add(scene, name, over)
  const told = { ...unplaced(twap.terms, now), ...progress }
  const event = { _tag: "TwapOpened", commandId: id("open"), expiresAtMillis: 0, twap: told, atMillis: now } as const
  scene.observe(event, twap.symbol)
  return twap
}
const next = (scene: Scene, name = "twap", atMillis = now) =>
  TwapCommands.next(scene.trader, scene.trader.twaps.get(TwapId.make(id(name).text))!, atMillis)
const tags = (decided: Result.Result<ReadonlyArray<{ readonly _tag: string }>, unknown>) =>
  Result.getOrThrow(decided).map(({ _tag }) => _tag)

describe("rule 16.1: acceptance of a TWAP", () => {
  it.each<[string, Partial<AddTwap>, TwapFlaw["flaw"]]>([
    ["the symbol is not listed", { symbol: "NOPE-USD" as typeof aapl }, "SYMBOL"],
    ["the symbol has no price", { symbol: gold }, "SYMBOL"],
    ["the total is not in whole lots", { totalQuantity: 10.0005 }, "LOT"],
    ["a slice is below the minimum", { totalQuantity: 0.299 }, "SLICE_TOO_SMALL"],
    ["a slice is above the maximum", { totalQuantity: 300_000.003 }, "SLICE_TOO_LARGE"],
    [
      "the last slice, with the indivisible remainder, is above the maximum",
      { totalQuantity: 300_000.002 },
      "SLICE_TOO_LARGE"
    ],
    ["a slice is too large to count", { totalQuantity: 1e300, slices: 2 }, "SLICE_TOO_LARGE"],
    ["its value is too large to count", { totalQuantity: 90_000_000, slices: 900 }, "TOO_LARGE"],
    ["the worst price is not a whole tick", { worstPrice: 200.001 }, "TICK"],
    ["its duration is too long", { intervalSeconds: 366 * 28_800 }, "TOO_LONG"],
    ["its start is too late", { startMillis: now + 365 * 86_400_000 }, "TOO_LONG"]
  ])("refuses a TWAP if %s", (_, over, flaw) => {
    const refused = funded().ask(requestOf("twap", over))
    assert.isTrue(Result.isFailure(refused))
    if (Result.isFailure(refused)) assert.deepInclude(refused.failure, { _tag: "InvalidTwap", flaw })
  })

  it("reports the largest valid number of slices if a slice is below 10 USD and the TWAP is not reduce-only", () => {
    const scene = funded()
    scene.price(aapl, 30)
    const boundOf = (over: Partial<AddTwap>) => {
      const refused = scene.ask(requestOf(JSON.stringify(over), over))
      return Result.isFailure(refused) ? (refused.failure as { readonly bound: number }).bound : undefined
    }
    // A slice of 0.33 is worth 9.90, one of 0.34 is worth 10.20.
    assert.strictEqual(boundOf({ totalQuantity: 3.3, slices: 10 }), 9)
    assert.isUndefined(boundOf({ totalQuantity: 3.4, slices: 10, worstPrice: 29 }))
    assert.strictEqual(boundOf({ totalQuantity: 0.5, slices: 2 }), 1)
    assert.isUndefined(boundOf({ totalQuantity: 3.3, slices: 10, reduceOnly: true, clientTwapId: "reduces" }))
  })

  it("starts a TWAP no earlier than now, and stores its quantity in lots and its price in ticks", () => {
    const { terms } = add(funded(), "twap", { worstPrice: 200.01, startMillis: 5, clientTwapId: "mine" })
    assert.deepStrictEqual(terms, {
      twapId: TwapId.make(id("twap").text),
      userId: alice,
      accountId: account,
      clientTwapId: "mine",
      side: "BUY",
      totalLots: 10_000,
      slices: 3,
      intervalMillis: 30_000,
      reduceOnly: false,
      worstTicks: 20_001,
      builderCode: "code",
      startMillis: now,
      createdAtMillis: now
    })
  })

  it("ignores a repeated TWAP request, and refuses an unknown account", () => {
    const scene = funded()
    add(scene)
    assert.deepStrictEqual(tags(scene.ask(requestOf("twap", { totalQuantity: 99 }))), [])
    assert.isTrue(Result.isFailure(scene.ask(requestOf("other", { accountId: AccountId.make("bob") }))))
  })

  it("rule 6.9: limits an account to fifty live TWAPs", () => {
    const scene = funded()
    for (let each = 0; each < 50; each++) add(scene, `twap ${each}`)
    const refused = scene.ask(requestOf("one more"))
    assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "InvalidTwap" && refused.failure.bound === 50)
    scene.ask({ _tag: "EndTwaps", twapIds: [TwapId.make(id("twap 7").text)], ending: "REQUEST" })
    assert.deepStrictEqual(tags(scene.ask(requestOf("one more"))), ["TwapAccepted"])
  })

  it("an account in liquidation can only add reduce-only TWAPs", () => {
    const scene = make()
    scene.credit(1_100)
    scene.price(aapl, 200)
    scene.hold(50, 200)
    scene.price(aapl, 190)
    const refused = scene.ask(requestOf("twap"))
    assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "InvalidTwap")
    assert.deepStrictEqual(tags(scene.ask(requestOf("twap", { side: "SELL", reduceOnly: true }))), ["TwapAccepted"])
  })
})

describe("next step of a TWAP", () => {
  it("opens a TWAP, places its slices, and removes the TWAP after the last slice", () => {
    const scene = funded()
    const twap = add(scene)
    assert.deepStrictEqual(next(scene), { _tag: "Open" })
    TwapCommands.opening(scene.trader, twap, envelope("open"))
    assert.deepStrictEqual(next(scene), { _tag: "Wait", untilMillis: now + 1_000 })
    const told = unplaced(twap.terms, now)
    scene.observe({ _tag: "TwapOpened", commandId: id("open"), expiresAtMillis: 0, twap: told, atMillis: now })
    assert.deepStrictEqual(next(scene), { _tag: "Slice", slice: 1, lots: 3_333 })
    scene.observe({ _tag: "TwapAdvanced", twap: { ...told, lastSlice: 1, filledLots: 1_000 }, atMillis: now })
    assert.deepStrictEqual(next(scene), { _tag: "Wait", untilMillis: now + 30_000 })
    assert.deepStrictEqual(next(scene, "twap", now + 30_000), { _tag: "Slice", slice: 2, lots: 4_499 })
    scene.observe({ _tag: "TwapAdvanced", twap: { ...told, lastSlice: 3 }, atMillis: now })
    assert.deepStrictEqual(next(scene), { _tag: "End", ending: "COMPLETED" })
    scene.ask({ _tag: "EndTwaps", twapIds: [twap.terms.twapId], ending: "COMPLETED" })
    assert.deepStrictEqual(next(scene), { _tag: "Close", ending: "COMPLETED" })
    const close = TwapCommands.closing(scene.trader, [twap], "COMPLETED", envelope("close"))
    assert.deepStrictEqual(close.twapIds, [twap.terms.twapId])
    assert.strictEqual(next(scene)._tag, "Wait")
    const closed = {
      _tag: "TwapClosed",
      commandId: id("close"),
      twap: told,
      ending: "COMPLETED",
      atMillis: now
    } as const
    scene.observe(closed)
    scene.done(id("close"))
    assert.deepStrictEqual(next(scene), { _tag: "Forget" })
    scene.ask({ _tag: "ForgetTwaps", twapIds: [twap.terms.twapId] })
    assert.strictEqual(scene.trader.twaps.size, 0)
  })

  it("rule 16.6: ends a TWAP whose child order fails the margin check, and a reduce-only TWAP without a position to reduce", () => {
    const scene = funded()
    opened(scene, "margin", {}, { lastSlice: 1, refusal: "FAILED_MARGIN_CHECK" })
    assert.deepStrictEqual(next(scene, "margin"), { _tag: "End", ending: "MARGIN" })
    opened(scene, "skipped", {}, { lastSlice: 1, refusal: "REJECTED_MARKET_CLOSED" })
    assert.strictEqual(next(scene, "skipped")._tag, "Wait")
    opened(scene, "flat", { reduceOnly: true })
    assert.deepStrictEqual(next(scene, "flat"), { _tag: "End", ending: "REDUCED" })
    opened(scene, "later", { reduceOnly: true, startMillis: now + 5 })
    assert.strictEqual(next(scene, "later")._tag, "Wait")
    scene.hold(-1, 200)
    assert.strictEqual(next(scene, "flat")._tag, "Slice")
    scene.hold(2, 200)
    assert.deepStrictEqual(next(scene, "flat"), { _tag: "End", ending: "REDUCED" })
  })

  it("I31: removes a TWAP that its market ended, and does not reopen it", () => {
    const scene = funded()
    const { terms } = opened(scene)
    const twap = unplaced(terms, now)
    scene.observe({ _tag: "TwapClosed", commandId: null, twap, ending: "SPLIT", atMillis: now })
    assert.deepStrictEqual(next(scene), { _tag: "Forget" })
  })

  it("I31: adopts a TWAP's progress from the market's view, which also resolves in-flight commands", () => {
    const scene = funded()
    const twap = add(scene)
    const told = { ...unplaced(twap.terms, now), lastSlice: 2, filledLots: 5_000 }
    TwapCommands.opening(scene.trader, twap, envelope("open"))
    Twaps.adopt(scene.trader, gold, account, [])
    assert.strictEqual(next(scene)._tag, "Wait")
    Twaps.adopt(scene.trader, aapl, account, [told])
    assert.deepStrictEqual(next(scene, "twap", now + 30_000), { _tag: "Wait", untilMillis: now + 60_000 })
    assert.deepStrictEqual(next(scene, "twap", now + 60_000), { _tag: "Slice", slice: 3, lots: 5_000 })
    scene.ask({ _tag: "EndTwaps", twapIds: [twap.terms.twapId], ending: "REQUEST" })
    TwapCommands.closing(scene.trader, [twap], "REQUEST", envelope("close"))
    Twaps.adopt(scene.trader, aapl, account, [])
    assert.deepStrictEqual(next(scene), { _tag: "Forget" })
  })
})

describe("rule 16.5: children of a TWAP", () => {
  const place = (scene: Scene, twap: ReturnType<typeof opened>, lots = 3_333) =>
    TwapCommands.placing(
      scene.trader,
      twap,
      { slice: 2, lots },
      { ...envelope("unused"), commandId: childId(twap.terms.twapId, 2) }
    )

  it("I19: sends a TWAP's child as a MARKET order with the TWAP's account and builder code", () => {
    const scene = funded()
    const command = place(scene, opened(scene))
    assert.deepInclude(command, { _tag: "PlaceSlice", slice: 2, traderEpoch: 4, accountId: account })
    assert.deepInclude(command.child as Place, {
      _tag: "Place",
      commandId: command.commandId,
      type: "MARKET",
      timeInForce: "IOC",
      quantityLots: 3_333,
      finding: null,
      clientOrderId: "",
      builderCode: "code",
      origin: "TWAP"
    })
    assert.isTrue(scene.balance().orderMargin > 0n)
    assert.strictEqual(next(scene)._tag, "Wait")
    scene.refuse(command.child, "EXPIRED")
    assert.strictEqual(scene.balance().orderMargin, 0n)
  })

  it("sends a TWAP's child as a LIMIT IOC order at the worst price, or at the edge of the price band if that is nearer", () => {
    const scene = funded()
    const child = (name: string, side: "BUY" | "SELL", worstPrice: number) =>
      place(scene, opened(scene, name, { side, worstPrice })).child as Place
    assert.deepInclude(child("a", "BUY", 201), { type: "LIMIT", timeInForce: "IOC", priceTicks: 20_100 })
    assert.deepInclude(child("b", "BUY", 250), { type: "LIMIT", priceTicks: 22_000 })
    assert.deepInclude(child("c", "SELL", 100), { type: "LIMIT", priceTicks: 18_000 })
    assert.deepInclude(child("d", "SELL", 199), { type: "LIMIT", priceTicks: 19_900 })
  })

  it("limits a child order's price to the daily bounds if they are nearer than the band: 260 instead of 264 at mark 240", () => {
    const scene = funded()
    scene.prices.set(aapl, { ...pricedAt(aapl, 240), minPriceTicks: 14_000, maxPriceTicks: 26_000 })
    const loose = place(scene, opened(scene, "loose", { worstPrice: 300 })).child as Place
    assert.deepInclude(loose, { type: "LIMIT", timeInForce: "IOC", priceTicks: 26_000, finding: null })
    scene.prices.set(aapl, { ...pricedAt(aapl, 150), minPriceTicks: 14_000, maxPriceTicks: 26_000 })
    const low = place(scene, opened(scene, "low", { side: "SELL", worstPrice: 100 })).child as Place
    assert.deepInclude(low, { type: "LIMIT", priceTicks: 14_000, finding: null })
  })

  it.each([
    ["BUY", "SELL", 2_800, 2_896.5],
    ["SELL", "BUY", 3_200, 3_103.5]
  ] as const)(
    "rule 7.6: a child order that only reduces a position from a %s is priced no worse than the bankruptcy price",
    (...of) => {
      const [opening, side, worstPrice, bankruptcy] = of
      const scene = make()
      const [lots, at] = [lotsOf(golden, 10), ticksOf(golden, 3_000)]
      scene.credit(1_050)
      scene.price(gold, 3_000)
      scene.holdLots(opening === "BUY" ? lots : -lots, at, gold, alice, 15_000_000)
      const child = (name: string, over: Partial<AddTwap>, size = lots / 2) => {
        const twap = opened(scene, name, { symbol: gold, side, slices: 2, worstPrice, ...over })
        const { child } = place(scene, twap, size)
        scene.refuse(child, "EXPIRED", gold)
        return child
      }
      const bounded = {
        type: "LIMIT",
        timeInForce: "IOC",
        priceTicks: ticksOf(golden, bankruptcy),
        finding: null
      } as const
      assert.deepInclude(child("reducing", { reduceOnly: true }) as Place, bounded)
      assert.deepInclude(child("covered", {}) as Place, bounded)
      const nearer = child("nearer", { reduceOnly: true, worstPrice: 3_000 }) as Place
      assert.deepInclude(nearer, { priceTicks: at, finding: null })
      // An order that would reverse the position is checked like any other order.
      const edge = side === "SELL" ? 2_850 : 3_150
      const turning = child("turning", {}, 3 * lots) as Place
      assert.deepInclude(turning, { priceTicks: ticksOf(golden, edge), finding: "FAILED_MARGIN_CHECK" })
    }
  )

  it("I27: holds enough margin for a child order at any nearer price to which the market might clip it", () => {
    for (const side of ["BUY", "SELL"] as const) {
      const scene = funded()
      const worstPrice = side === "BUY" ? 300 : 100
      const child = place(scene, opened(scene, "loose", { side, worstPrice })).child as Place
      const held = scene.balance().orderMargin
      const order = scene.accept({ ...child, priceTicks: child.priceTicks + (side === "BUY" ? -11 : 11) })
      const left = scene.trade(order, 1_333, 20_000)
      assert.isTrue(scene.balance().orderMargin < held)
      scene.end(left, "IOC_PARTIALLY_FILLED")
      assert.strictEqual(scene.balance().orderMargin, 0n)
    }
  })

  it("sends a child order even if no margin is available, so that the market's earlier checks are reported first", () => {
    const scene = funded()
    const { child } = place(scene, opened(scene), 9_000_000)
    assert.deepInclude(child, { _tag: "Place", finding: "FAILED_MARGIN_CHECK" })
  })
})

describe("I6: journal of TWAPs", () => {
  it("restores the same TWAPs by replay and from a snapshot", () => {
    const scene = funded()
    for (const name of ["one", "two", "three"]) add(scene, name)
    const [first, second] = scene.trader.twaps.keys()
    scene.ask({ _tag: "EndTwaps", twapIds: [first!, second!], ending: "LIQUIDATION" })
    scene.ask({ _tag: "ForgetTwaps", twapIds: [first!] })
    const restored = Ledger.make(alice, instruments, scene.prices, scene.trader.openInterest, Ledger.defaults)
    Ledger.restore(restored, structuredClone(Ledger.snapshot(scene.trader)))
    assert.strictEqual(Ledger.hash(restored), Ledger.hash(scene.trader))
    assert.deepStrictEqual([...restored.twaps.values()], [...scene.trader.twaps.values()])
    assert.deepStrictEqual(
      [...restored.twaps.values()].map(({ ending }) => ending),
      ["LIQUIDATION", null]
    )
  })

  it("records the end of each TWAP once, and ends all TWAPs of an account or symbol", () => {
    const scene = funded()
    scene.price(gold, 3_400)
    for (const [name, symbol] of [
      ["a", aapl],
      ["b", gold],
      ["c", aapl]
    ] as const)
      add(scene, name, { symbol })
    const named = (of: Parameters<typeof Twaps.live>[1]) =>
      Twaps.live(scene.trader, of).map(({ terms }) => terms.twapId)
    assert.lengthOf(named({ accountId: account }), 3)
    assert.lengthOf(named({ accountId: AccountId.make("sub") }), 0)
    const end = { _tag: "EndTwaps", twapIds: named({ symbol: aapl }), ending: "DELISTING" } as const
    assert.deepStrictEqual(tags(scene.ask(end)), ["TwapEnded", "TwapEnded"])
    assert.deepStrictEqual(tags(scene.ask(end)), [])
    assert.lengthOf(named({}), 1)
  })
})
