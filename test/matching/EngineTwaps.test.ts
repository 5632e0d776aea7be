/** TWAP progress in a market: no child order is placed twice. */
import { AccountId } from "@venue/domain/AccountId"
import type { MarketEvent, Place, PlaceSlice } from "@venue/domain/Market"
import { childId, type Twap, TwapId, type TwapTerms } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import * as Engine from "@venue/matching/Engine"
import { assert, describe, it } from "@effect/vitest"
import { id } from "../Id.ts"
import { apple, eventOf, friday, lots, type PlaceAsk, Scene, ticks, told } from "./EngineScene.ts"
import { play } from "./twin/Play.ts"

const twapId = TwapId.make(id("twap").text)
const terms: TwapTerms = {
  twapId,
  userId: UserId.make("alice"),
  accountId: AccountId.make("alice"),
  clientTwapId: "unwind-12",
  side: "BUY",
  totalLots: lots(3),
  slices: 3,
  intervalMillis: 30_000,
  reduceOnly: false,
  worstTicks: 0,
  builderCode: "",
  startMillis: friday,
  createdAtMillis: friday
}

const open = (scene: Scene, over: Partial<TwapTerms> = {}) =>
  scene.ask({ _tag: "OpenTwap", ...scene.envelope({}), terms: { ...terms, ...over } })
const close = (scene: Scene, twapIds = [twapId], account = "alice") =>
  scene.ask({ _tag: "CloseTwaps", ...scene.envelope({ account }), twapIds, ending: "REQUEST" })
const sliceOf = (scene: Scene, slice: number, ask: PlaceAsk = {}): PlaceSlice => {
  const child: Place = {
    ...scene.placing("BUY", 1, 0, { id: childId(twapId, slice), type: "MARKET", timeInForce: "IOC", ...ask }),
    origin: "TWAP"
  }
  const { accountId, commandId, expiresAtMillis, traderEpoch, userId } = child
  return { _tag: "PlaceSlice", commandId, expiresAtMillis, traderEpoch, userId, accountId, twapId, slice, child }
}
const place = (scene: Scene, slice: number, ask: PlaceAsk = {}) => scene.ask(sliceOf(scene, slice, ask))
const progress = (events: ReadonlyArray<MarketEvent>) => {
  const { filledLots, filledSlices, filledValue, lastSlice, refusal } = eventOf(events, "TwapAdvanced").twap
  return [lastSlice, filledLots / 1_000, filledValue / 1e6, filledSlices, refusal]
}
const twaps = (scene: Scene, account = "alice") => Engine.view(scene.engine, AccountId.make(account)).twaps

const begun = () => {
  const scene = new Scene()
  open(scene)
  return scene
}

/** Asserts that replayed events, and a stored and restored state, equal the live state. */
const assertDurable = (scene: Scene) => {
  const replayed = Engine.make(apple, Engine.defaults)
  for (const event of scene.events) Engine.apply(replayed, event)
  assert.strictEqual(Engine.hash(replayed), Engine.hash(scene.engine))
  const restored = Engine.restore(apple, Engine.defaults, structuredClone(Engine.snapshot(scene.engine)))
  assert.strictEqual(Engine.hash(restored), Engine.hash(scene.engine))
  assert.deepStrictEqual(Engine.view(restored, terms.accountId).twaps, twaps(scene))
}

describe("progress of a TWAP", () => {
  it("a TWAP's progress equals its child orders' fills, and appears in the account's view", () => {
    const scene = begun()
    scene.sell(0.4, 200, { account: "bob" })
    scene.sell(0.2, 200.5, { account: "bob" })
    const events = place(scene, 1)
    assert.deepStrictEqual(told(events), [
      "Accepted",
      "Traded 0.4 @ 200 bob",
      "Traded 0.2 @ 200.5 bob",
      "IOC_PARTIALLY_FILLED 0.4 alice",
      "TwapAdvanced"
    ])
    assert.deepStrictEqual(progress(events), [1, 0.6, 120.1, 1, null])
    assert.strictEqual(eventOf(events, "Accepted").order.origin, "TWAP")
    assert.deepStrictEqual(progress(place(scene, 2)), [2, 0.6, 120.1, 1, null])
    scene.sell(5, 200, { account: "bob" })
    assert.deepStrictEqual(progress(place(scene, 3)), [3, 1.6, 320.1, 2, null])
    assert.deepStrictEqual(twaps(scene), [eventOf(scene.events.slice(-1), "TwapAdvanced").twap])
    assertDurable(scene)
  })

  it("a refused child order counts as placed, and its TWAP stores the reason", () => {
    const scene = begun()
    assert.deepStrictEqual(progress(place(scene, 1, { finding: "FAILED_MARGIN_CHECK" })), [
      1,
      0,
      0,
      0,
      "FAILED_MARGIN_CHECK"
    ])
    const { child, ...slice } = sliceOf(scene, 2)
    const { accountId, commandId, expiresAtMillis, traderEpoch, userId } = child
    const refusal = {
      commandId,
      expiresAtMillis,
      traderEpoch,
      userId,
      accountId,
      status: "USER_IN_LIQUIDATION"
    } as const
    const echo = { orderId: "", side: null, type: null, timeInForce: null, price: 0, quantity: 0, clientOrderId: "" }
    const events = scene.ask({ ...slice, child: { _tag: "Refuse", ...refusal, echo: { ...echo, reduceOnly: false } } })
    assert.deepStrictEqual(told(events), ["USER_IN_LIQUIDATION", "TwapAdvanced"])
    assert.deepStrictEqual(progress(events), [2, 0, 0, 0, "USER_IN_LIQUIDATION"])
    scene.sell(5, 200, { account: "bob" })
    assert.deepStrictEqual(progress(place(scene, 3)), [3, 1, 200, 1, null])
    assertDurable(scene)
  })

  it("an expired child order of a TWAP counts as placed", () => {
    const scene = begun()
    assert.deepStrictEqual(told(place(scene, 1, { expires: friday - 1 })), ["EXPIRED", "TwapAdvanced"])
    assert.deepStrictEqual(place(scene, 1), [])
    assertDurable(scene)
  })

  it("I31: a TWAP's child order from a former owner does not count, but the new owner's child order does", () => {
    const scene = begun()
    scene.ask({ _tag: "RaiseEpoch", userId: terms.userId, traderEpoch: 2 })
    assert.deepStrictEqual(place(scene, 1, { epoch: 1 }), [])
    assert.deepStrictEqual(place(scene, 9, { epoch: 1 }), [])
    assert.include(told(place(scene, 1, { epoch: 2 })), "TwapAdvanced")
    assert.deepStrictEqual(place(scene, 1, { epoch: 2 }), [])
    assertDurable(scene)
  })

  it("in a halted market, a TWAP's child order is refused but counts as placed", () => {
    const scene = new Scene()
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    assert.deepStrictEqual(told(open(scene)), ["TwapOpened"])
    assert.deepStrictEqual(told(place(scene, 1)), ["REJECTED_MARKET_CLOSED", "TwapAdvanced"])
    assert.deepStrictEqual(told(close(scene)), ["TwapClosed", "Done"])
    assertDurable(scene)
  })
})

describe("rule 16.5: children with a limit price", () => {
  const limited = (scene: Scene, slice: number, side: Place["side"], price: number) =>
    place(scene, slice, { side, type: "LIMIT", priceTicks: ticks(price) })
  const acceptedAt = (events: ReadonlyArray<MarketEvent>) => eventOf(events, "Accepted").order.priceTicks / 100

  it("if the price band has moved since a child order was sent, clips its limit price instead of refusing the order", () => {
    const scene = begun()
    scene.ask({ _tag: "Observe", priceE8: 199.9e8, teller: "operator" })
    scene.sell(0.4, 219.89, { account: "bob" })
    scene.sell(5, 219.9, { account: "bob" })
    const events = limited(scene, 1, "BUY", 220)
    assert.deepStrictEqual(told(events).slice(1, 3), ["Traded 0.4 @ 219.89 bob", "IOC_PARTIALLY_FILLED 0.6 alice"])
    assert.strictEqual(acceptedAt(events), 219.89)
    scene.ask({ _tag: "Observe", priceE8: 200.1e8, teller: "operator" })
    const { lowerTicks } = Engine.prices(scene.engine)!
    assert.isAbove(lowerTicks, ticks(180))
    assert.strictEqual(acceptedAt(limited(scene, 2, "SELL", 180)), lowerTicks / 100)
    assert.strictEqual(acceptedAt(limited(scene, 3, "SELL", 190)), 190)
    // Only children are clipped.
    assert.deepStrictEqual(told(scene.buy(1, 230)), ["PRICE_GREATER_THAN_MAX_PRICE"])
    assertDurable(scene)
  })

  it("clips a child order's limit price to the daily bounds: to 260 instead of 264 at mark 240", () => {
    const scene = begun()
    scene.ask({ _tag: "Observe", priceE8: 240e8, teller: "operator" })
    assert.deepInclude(Engine.prices(scene.engine), { maxPriceTicks: ticks(260), upperTicks: ticks(264) })
    scene.sell(1, 250, { account: "bob" })
    const events = limited(scene, 1, "BUY", 264)
    assert.deepStrictEqual(progress(events), [1, 1, 250, 1, null])
    assert.strictEqual(acceptedAt(events), 260)
    assertDurable(scene)
  })

  it("refuses a child order whose limit price is beyond every valid price of the day", () => {
    const scene = begun()
    assert.deepStrictEqual(told(limited(scene, 1, "BUY", 139.99)), ["PRICE_LESS_THAN_MIN_PRICE", "TwapAdvanced"])
    assert.deepStrictEqual(told(limited(scene, 2, "SELL", -1)), ["INVALID_TICK_SIZE_PRECISION_PRICE", "TwapAdvanced"])
    assertDurable(scene)
  })
})

describe("I31: a slice has one child", () => {
  it("ignores a repeated child order, and refuses a child order for the same slice under another id", () => {
    const scene = begun()
    scene.sell(5, 200, { account: "bob" })
    const command = sliceOf(scene, 1)
    scene.ask(command)
    assert.deepStrictEqual(scene.ask(command), [])
    assert.deepStrictEqual(told(place(scene, 1, { id: id("another") })), ["REJECTED"])
    assert.strictEqual(scene.position("alice"), 1)
    assertDurable(scene)
  })

  it("refuses a repeated child order even after its outcome was forgotten", () => {
    const scene = begun()
    scene.sell(5, 200, { account: "bob" })
    place(scene, 2)
    scene.engine = Engine.restore(apple, Engine.defaults, Engine.snapshot(scene.engine))
    scene.now = friday + 86_400_000
    scene.ask({ _tag: "Observe", priceE8: 200e8, teller: "operator" })
    assert.isUndefined(Engine.outcome(scene.engine, childId(twapId, 2)))
    assert.deepStrictEqual(told(place(scene, 2)), ["REJECTED"])
    assert.deepStrictEqual(told(place(scene, 1)), ["REJECTED"])
    assert.strictEqual(scene.position("alice"), 1)
    assert.deepStrictEqual(progress(place(scene, 3)), [3, 2, 400, 2, null])
  })

  it("rejects a child order beyond the last slice, for another account's TWAP, or for an unknown TWAP", () => {
    const scene = begun()
    scene.sell(5, 200, { account: "bob" })
    assert.deepStrictEqual(told(place(scene, 4)), ["REJECTED"])
    assert.deepStrictEqual(told(place(scene, 1, { account: "cid", id: id("foreign") })), ["REJECTED"])
    const unknown = { ...sliceOf(scene, 2), twapId: TwapId.make(id("unknown").text) }
    assert.deepStrictEqual(told(scene.ask(unknown)), ["REJECTED"])
    assert.deepStrictEqual(
      ["alice", "cid"].map((account) => scene.position(account)),
      [0, 0]
    )
  })

  it("rejects a child order after its TWAP has closed", () => {
    const scene = begun()
    scene.sell(5, 200, { account: "bob" })
    place(scene, 1)
    assert.deepStrictEqual(told(close(scene)), ["TwapClosed", "Done"])
    assert.deepStrictEqual(told(place(scene, 2)), ["REJECTED"])
    assert.strictEqual(scene.position("alice"), 1)
    assert.deepStrictEqual(twaps(scene), [])
    assertDurable(scene)
  })
})

describe("opening and closing of TWAPs", () => {
  it("opening an open TWAP again leaves it unchanged", () => {
    const scene = begun()
    scene.sell(5, 200, { account: "bob" })
    place(scene, 1)
    const before = twaps(scene)
    assert.deepStrictEqual(told(open(scene, { totalLots: lots(9) })), ["Done"])
    assert.deepStrictEqual(twaps(scene), before)
  })

  it("closes several TWAPs in one command, and ignores unknown TWAPs and other accounts' TWAPs", () => {
    const scene = begun()
    const second = TwapId.make(id("second").text)
    open(scene, { twapId: second })
    scene.sell(5, 200, { account: "bob" })
    place(scene, 1)
    assert.deepStrictEqual(told(close(scene, [twapId, second], "bob")), ["NO_SUCH_ORDER"])
    const command = { _tag: "CloseTwaps", ...scene.envelope({}), twapIds: [second, twapId], ending: "MARGIN" } as const
    const events = scene.ask(command)
    assert.deepStrictEqual(told(events), ["TwapClosed", "TwapClosed", "Done"])
    assert.deepStrictEqual(
      events.flatMap((event) => (event._tag === "TwapClosed" ? [[event.twap.filledLots, event.ending]] : [])),
      [
        [0, "MARGIN"],
        [lots(1), "MARGIN"]
      ]
    )
    const refused = eventOf(close(scene), "Refused")
    assert.deepInclude(refused, { status: "NO_SUCH_ORDER" })
    assert.strictEqual(refused.echo.orderId, twapId)
    assert.deepStrictEqual(scene.ask(command), [])
    assertDurable(scene)
  })

  it("I31: a split ends all TWAPs, including a TWAP accepted before the split and opened after it", () => {
    const scene = begun()
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    scene.now = friday + 60_000
    const split = { _tag: "SplitContract", exDay: 1, numerator: 4, denominator: 1 } as const
    const events = scene.ask(split)
    assert.deepStrictEqual(told(events).slice(0, 2), ["TwapClosed", "ContractSplit"])
    assert.deepInclude(eventOf(events, "TwapClosed"), { ending: "SPLIT", commandId: null })
    assert.deepStrictEqual(told(open(scene)), ["TwapOpened", "TwapClosed"])
    assert.deepStrictEqual(told(open(scene, { createdAtMillis: friday + 60_001 })), ["TwapOpened"])
    assertDurable(scene)
  })

  it("I31: the end of a contract ends all TWAPs, including those opened later", () => {
    const scene = begun()
    scene.ask({ _tag: "SetTradingState", state: "HALTED" })
    const events = scene.ask({ _tag: "Delist" })
    assert.strictEqual(eventOf(events, "TwapClosed").ending, "DELISTING")
    const late = open(scene)
    assert.deepStrictEqual(told(late), ["TwapOpened", "TwapClosed"])
    assert.strictEqual(eventOf(late, "TwapClosed").ending, "DELISTING")
    assertDurable(scene)
  })

  it("self-trade prevention applies to a TWAP's child orders as to any order", () => {
    const scene = begun()
    scene.sell(1, 201, { account: "alice/1", user: "alice" })
    assert.deepStrictEqual(told(place(scene, 1, { type: "LIMIT", priceTicks: ticks(202) })), [
      "Accepted",
      "CANCELLED_STP 1 alice/1",
      "IOC_CANCELLED 1 alice",
      "TwapAdvanced"
    ])
  })
})

it("I31: in random streams, each TWAP slice has one child order, and a TWAP's progress equals its fills", () => {
  let filled = 0
  let closed = 0
  play(600, (engine) => {
    const live = new Map<string, Twap>()
    const children = new Set<string>()
    return (events, command) => {
      for (const event of events) {
        if (event._tag === "TwapOpened") live.set(event.twap.twapId, event.twap)
        if (event._tag === "TwapClosed") {
          assert.deepStrictEqual(event.twap, live.get(event.twap.twapId))
          assert.isTrue(live.delete(event.twap.twapId))
          closed++
        }
        if (event._tag !== "TwapAdvanced" || command._tag !== "PlaceSlice") continue
        const before = live.get(event.twap.twapId)!
        assert.isAbove(event.twap.lastSlice, before.lastSlice)
        assert.isFalse(children.has(command.commandId.text))
        children.add(command.commandId.text)
        const lots = events.flatMap((each) => (each._tag === "Traded" ? [each.quantityLots] : []))
        assert.strictEqual(
          event.twap.filledLots,
          lots.reduce((sum, each) => sum + each, before.filledLots)
        )
        filled += lots.length
        live.set(event.twap.twapId, event.twap)
      }
      for (const twap of live.values()) assert.deepInclude(Engine.view(engine, twap.accountId).twaps, twap)
    }
  })
  assert.isAbove(filled, 500)
  assert.isAbove(closed, 200)
})
