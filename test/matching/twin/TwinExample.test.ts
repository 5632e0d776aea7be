/**
 * Applies the twin (the slow reference implementation) to the rules' worked examples, to show that it is a valid
 * reference.
 */
import { AccountId } from "@venue/domain/AccountId"
import { initialInstruments } from "@venue/domain/Instrument"
import type { MarketEvent, Place, Priced } from "@venue/domain/Market"
import { UserId } from "@venue/domain/UserId"
import { assert, it } from "@effect/vitest"
import { id } from "../../Id.ts"
import * as Twin from "./Twin.ts"
import * as TwinState from "./TwinState.ts"

const apple = initialInstruments[0]!
const open = {
  lowerTicks: 18_360,
  upperTicks: 22_440,
  minPriceTicks: 14_280,
  maxPriceTicks: 26_520,
  limitShareBps: 10_000
}
const weekend = { ...open, lowerTicks: 19_380, upperTicks: 21_420, limitShareBps: 1_000 }

const market = (prices: Partial<Priced> = {}) => {
  const twin = TwinState.make(apple, { maxOpenOrders: 200 })
  const markE8 = 204_00000000
  const outside = { source: "operator", toldE8: markE8, toldAtMillis: 1, rejections: 0, paused: false } as const
  const book = { bidTicks: 0, askTicks: 0, openInterestLots: 0 }
  const mark = { oracleE8: markE8, markE8, freshMarkE8: markE8, premiumE8: 0, ...book }
  Twin.price(twin, { _tag: "Priced", ...outside, ...mark, ...open, atMillis: 1, ...prices })
  const names = new Map<string, string>()
  const told: Array<string> = []
  const say = (event: MarketEvent): string =>
    event._tag === "Refused"
      ? event.status
      : event._tag === "Traded"
        ? `${event.quantityLots / 1_000} @ ${event.priceTicks / 100} fees ${event.maker.fee} ${event.taker.fee}`
        : event._tag === "Ended" || event._tag === "Modified"
          ? `${names.get(event.order.orderId.text)} ${event._tag === "Ended" ? event.status : "to"} ${event.order.remainingLots / 1_000}`
          : event._tag
  /** Quantities in units, prices in USD; orders are numbered o1, o2, … */
  const place = (
    accountId: AccountId,
    side: "BUY" | "SELL",
    units: number,
    price: number,
    more: Partial<Place> = {}
  ) => {
    told.length = 0
    const name = `o${names.size + 1}`
    names.set(id(name).text, name)
    const command: Place = {
      _tag: "Place",
      commandId: id(name),
      expiresAtMillis: 100,
      traderEpoch: 1,
      userId: UserId.make(accountId.split("/")[0]!),
      accountId,
      makerRate: 20_000,
      takerRate: 100_000,
      maxNotional: 2_500_000_000_000,
      leverage: 10,
      finding: null,
      side,
      type: "LIMIT",
      timeInForce: "GTC",
      priceTicks: Math.round(price * 100),
      quantityLots: Math.round(units * 1_000),
      reduceOnly: false,
      clientOrderId: "",
      builderCode: "",
      origin: "USER",
      ...more
    }
    Twin.handle(twin, command, 1, (event) => told.push(say(event)))
    return [...told]
  }
  return { twin, place }
}

it("self-trade prevention cancels the resting order in any of the user's accounts, and the incoming order continues", () => {
  const { place, twin } = market()
  place(AccountId.make("ann"), "SELL", 5, 200)
  place(AccountId.make("ben"), "SELL", 4, 200.05)
  assert.deepStrictEqual(place(AccountId.make("ann/1"), "BUY", 8, 200.1), [
    "Accepted",
    "o1 CANCELLED_STP 5",
    "4 @ 200.05 fees 160040 800200"
  ])
  assert.deepStrictEqual(
    twin.resting.map(({ order }) => order.remainingLots),
    [4_000]
  )
})

it("price bands limit only buys above and sells below the mark", () => {
  const { place } = market()
  assert.deepStrictEqual(place(AccountId.make("ann"), "BUY", 1, 225), ["PRICE_GREATER_THAN_MAX_PRICE"])
  assert.deepStrictEqual(place(AccountId.make("ann"), "SELL", 1, 225), ["Accepted"])
  assert.deepStrictEqual(place(AccountId.make("ann"), "SELL", 1, 183.59), ["PRICE_LESS_THAN_MIN_PRICE"])
  assert.deepStrictEqual(place(AccountId.make("ann"), "SELL", 1, 265.21), ["PRICE_GREATER_THAN_MAX_PRICE"])
})

it("at the weekend a user with a long position of 300,000 USD can only sell", () => {
  const { place, twin } = market(weekend)
  Object.assign(TwinState.holding(twin, AccountId.make("ann")), { quantity: 1_470_588 })
  twin.owners.set("ann", "ann")
  assert.deepStrictEqual(place(AccountId.make("ann"), "BUY", 0.1, 204), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
  assert.deepStrictEqual(place(AccountId.make("ann/1"), "BUY", 0.1, 204), ["REJECTED_WOULD_BREACH_MAX_NOTIONAL"])
  assert.deepStrictEqual(place(AccountId.make("ann"), "SELL", 1_470.588, 204), ["Accepted"])
})

it("at an open interest of 122,000, accepts another 500 and refuses 1,000", () => {
  const { place, twin } = market()
  Object.assign(TwinState.holding(twin, AccountId.make("ann")), { quantity: 122_000_000 })
  Object.assign(TwinState.holding(twin, AccountId.make("ben")), { quantity: -122_000_000 })
  assert.deepStrictEqual(place(AccountId.make("cat"), "BUY", 1_000, 204), ["REJECTED_OPEN_INTEREST_LIMIT"])
  assert.deepStrictEqual(place(AccountId.make("cat"), "BUY", 500, 204), ["Accepted"])
})

it("fees are rounded up to the next 1e-6 USD", () => {
  const { place } = market()
  place(AccountId.make("ann"), "SELL", 50, 204, { makerRate: 20_000 })
  assert.deepStrictEqual(place(AccountId.make("ben"), "BUY", 50, 204, { takerRate: 80_000 }), [
    "Accepted",
    "50 @ 204 fees 2040000 8160000"
  ])
  place(AccountId.make("ann"), "SELL", 0.333, 200.01)
  assert.deepStrictEqual(
    place(AccountId.make("ben"), "BUY", 0.333, 200.01, { takerRate: 22_501 }).at(-1),
    "0.333 @ 200.01 fees 13321 14987"
  )
})

it("open reduce-only orders are cut, newest first, when the position shrinks below their sum", () => {
  const { place } = market()
  place(AccountId.make("ben"), "SELL", 5, 204)
  place(AccountId.make("ann"), "BUY", 5, 204)
  place(AccountId.make("ann"), "SELL", 3, 206, { reduceOnly: true })
  place(AccountId.make("ann"), "SELL", 2, 205, { reduceOnly: true })
  place(AccountId.make("ben"), "BUY", 2.5, 203)
  assert.deepStrictEqual(place(AccountId.make("ann"), "SELL", 2.5, 203).slice(2), ["o4 CANCELLED 2", "o3 to 2.5"])
})

it("a fill-or-kill order ignores orders that its own fills would cut", () => {
  const { place } = market()
  place(AccountId.make("ben"), "SELL", 5, 204)
  place(AccountId.make("ann"), "BUY", 5, 204)
  place(AccountId.make("ann"), "SELL", 5, 205, { reduceOnly: true })
  place(AccountId.make("ann"), "SELL", 4, 204)
  assert.deepStrictEqual(place(AccountId.make("ben"), "BUY", 9, 205, { timeInForce: "FOK" }), [
    "Accepted",
    "o5 CANCELLED 9"
  ])
  assert.deepStrictEqual(place(AccountId.make("ben"), "BUY", 5, 205, { timeInForce: "FOK" }).length, 4)
})
