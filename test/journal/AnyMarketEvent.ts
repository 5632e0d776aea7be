/** Arbitrary market events for property tests, including events that no market would record. */
import { AccountId } from "@venue/domain/AccountId"
import { OffBook } from "@venue/domain/Execution"
import type { MarketEvent } from "@venue/domain/Market"
import { type Order, OrderOrigin } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import { OrderRefusal } from "@venue/domain/Reject"
import { version4 } from "@venue/domain/Id"
import { type Twap, TwapEnding, TwapId } from "@venue/domain/Twap"
import { TradingState } from "@venue/domain/TradingState"
import { UserId } from "@venue/domain/UserId"
import * as fc from "fast-check"

const text = fc.oneof(
  fc.uuid(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.uuid().map((id) => `${id.slice(0, 35)}é`),
  fc.uuid().map((id) => `${id.slice(0, 35)}š`),
  fc.constantFrom("", "a", "mm-7-000182", "x".repeat(64), "y".repeat(300), "mañana", "空の注文", "\ud800 half", "\0"),
  fc.string({ maxLength: 64 }),
  fc.string({ unit: "binary", maxLength: 40 })
)
const id = fc.tuple(fc.integer(), fc.integer(), fc.integer(), fc.integer()).map((words) => version4(...words))
/** Uses few users, so that users repeat. */
const user = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("0b9f5a9e-51c4-4a52-9d0b-6a1f2c7e9d10", "alice") },
  {
    weight: 1,
    arbitrary: text
  }
)
const millis = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0, 1, 1_790_503_244_118) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 4_000_000_000_000 }) }
)
const count = fc.oneof(
  fc.integer({ min: 0, max: 130 }),
  fc.integer({ min: 0, max: 1 << 30 }),
  fc.maxSafeNat(),
  fc.constantFrom(0x7f, 0x80, 0x3fff, 0x4000, 2 ** 29 - 1, 2 ** 29, 2 ** 31, 2 ** 32, 2 ** 48 - 1, 2 ** 48)
)
const signed = fc.oneof(
  count,
  count.map((value) => -value),
  fc.maxSafeInteger()
)
const decimal = fc.oneof(fc.double(), fc.constantFrom(0, -0, NaN, 10.5, 1e308, -1e-9))
const side = fc.constantFrom("BUY", "SELL")
const type = fc.constantFrom("LIMIT", "MARKET", "ALO", "TAKE_PROFIT", "STOP_LOSS", "STOP_MARKET")
const timeInForce = fc.constantFrom("GTC", "IOC", "FOK")

const order: fc.Arbitrary<Order> = fc.record(
  {
    orderId: id.map(orderIdFrom),
    userId: user.map((text) => UserId.make(text)),
    accountId: user.map((text) => AccountId.make(text)),
    side,
    type,
    timeInForce,
    priceTicks: count,
    quantityLots: count,
    remainingLots: count,
    reduceOnly: fc.boolean(),
    clientOrderId: text,
    origin: fc.constantFrom(...OrderOrigin.literals),
    builderCode: text,
    modified: fc.boolean(),
    updatedAtMillis: millis,
    bracket: fc.record({ takeProfitTicks: count, stopLossTicks: count, takerRate: signed })
  },
  {
    requiredKeys: [
      "orderId",
      "userId",
      "accountId",
      "side",
      "type",
      "timeInForce",
      "priceTicks",
      "quantityLots",
      "remainingLots",
      "reduceOnly",
      "clientOrderId",
      "origin",
      "builderCode",
      "modified",
      "updatedAtMillis"
    ]
  }
)
const reward = fc.record({ ownerId: user.map((text) => UserId.make(text)), amount: signed, remainder: signed })
const fill = fc.record({ order, fee: signed, realised: signed, marginUsed: count, reward: fc.option(reward) })
const sent = { commandId: id, expiresAtMillis: millis }
const caller = {
  userId: user.map((text) => UserId.make(text)),
  accountId: user.map((text) => AccountId.make(text)),
  atMillis: millis
}
const twap: fc.Arbitrary<Twap> = fc.record({
  twapId: id.map(({ text }) => TwapId.make(text)),
  userId: caller.userId,
  accountId: caller.accountId,
  clientTwapId: text,
  side,
  totalLots: count,
  slices: count,
  intervalMillis: count,
  reduceOnly: fc.boolean(),
  worstTicks: count,
  builderCode: text,
  startMillis: millis,
  createdAtMillis: millis,
  lastSlice: count,
  filledLots: count,
  filledValue: count,
  filledSlices: count,
  refusal: fc.option(fc.constantFrom("EXPIRED", ...OrderRefusal.literals)),
  updatedAtMillis: millis
})

export const marketEvent: fc.Arbitrary<MarketEvent> = fc.oneof(
  fc.record({ _tag: fc.constant("Accepted"), ...sent, order, makerRate: signed, leverage: count, atMillis: millis }),
  fc.record({
    _tag: fc.constant("Refused"),
    ...sent,
    ...caller,
    status: fc.constantFrom("EXPIRED", ...OrderRefusal.literals),
    echo: fc.record({
      orderId: text,
      side: fc.option(side),
      type: fc.option(type),
      timeInForce: fc.option(timeInForce),
      price: decimal,
      quantity: decimal,
      clientOrderId: text,
      reduceOnly: fc.boolean()
    })
  }),
  fc.record(
    {
      _tag: fc.constant("Traded"),
      tradeId: id,
      number: count,
      priceTicks: count,
      quantityLots: count,
      notional: count,
      maker: fill,
      taker: fill,
      atMillis: millis,
      offBook: fc.constantFrom(...OffBook.literals)
    },
    {
      requiredKeys: [
        "_tag",
        "tradeId",
        "number",
        "priceTicks",
        "quantityLots",
        "notional",
        "maker",
        "taker",
        "atMillis"
      ]
    }
  ),

  fc.record({
    _tag: fc.constant("Ended"),
    commandId: fc.option(id),
    order,
    status: fc.constantFrom("CANCELLED", "CANCELLED_STP", "IOC_CANCELLED", "IOC_PARTIALLY_FILLED"),
    atMillis: millis
  }),
  fc.record({
    _tag: fc.constant("Modified"),
    commandId: fc.option(id),
    order,
    requeued: fc.boolean(),
    atMillis: millis
  }),
  fc.record({ _tag: fc.constant("Done"), ...sent, ...caller }),
  fc.record({
    _tag: fc.constant("Priced"),
    source: fc.constantFrom("external", "internal", "operator", "stale"),
    toldE8: count,
    toldAtMillis: millis,
    rejections: count,
    freshMarkE8: count,
    paused: fc.boolean(),
    bidTicks: count,
    askTicks: count,
    openInterestLots: count,
    oracleE8: count,
    markE8: count,
    premiumE8: signed,
    lowerTicks: count,
    upperTicks: count,
    minPriceTicks: count,
    maxPriceTicks: count,
    limitShareBps: count,
    atMillis: millis
  }),
  fc.record({ _tag: fc.constant("FundToppedUp"), topUpId: text, amount: count, reason: text, atMillis: millis }),
  fc.record({
    _tag: fc.constant("DividendPaid"),
    exDay: count,
    perUnitE8: count,
    remainder: count,
    atMillis: millis
  }),
  fc.record({
    _tag: fc.constant("BuilderIntroduced"),
    builderCode: text,
    ownerId: user.map((text) => UserId.make(text)),
    venueBps: count,
    builderBps: count,
    atMillis: millis
  }),
  fc.record({
    _tag: fc.constant("TakeoverOpened"),
    takeoverId: id,
    expiresAtMillis: millis,
    ...caller,
    quantityLots: signed,
    markE8: count,
    share: signed
  }),
  fc.record({ _tag: fc.constant("TakeoverClosed"), takeoverId: id, ...caller, leftLots: signed }),
  fc.record({
    _tag: fc.constant("TakeoverClosed"),
    takeoverId: id,
    ...caller,
    leftLots: signed,
    isUncovered: fc.constant(true)
  }),
  fc.record({
    _tag: fc.constant("TradingStateChanged"),
    state: fc.constantFrom(...TradingState.literals),
    atMillis: millis
  }),
  fc.record({
    _tag: fc.constant("ContractSplit"),
    exDay: count,
    numerator: count,
    denominator: count,
    markE8: count,
    fundLots: signed,
    remainder: count,
    atMillis: millis
  }),
  fc.record({
    _tag: fc.constant("LimitsSet"),
    minQuantityLots: count,
    maxQuantityLots: count,
    positionUsd: count,
    openInterestUsd: count,
    atMillis: millis
  }),
  fc.record({ _tag: fc.constant("HoldersCounted"), longUsers: count, shortUsers: count, atMillis: millis }),
  fc.record({ _tag: fc.constant("SettlementBegan"), averageE8: count, priceTicks: count, atMillis: millis }),
  fc.record({
    _tag: fc.constant("EpochRaised"),
    userId: user.map((text) => UserId.make(text)),
    traderEpoch: count,
    atMillis: millis
  }),
  fc.record({ _tag: fc.constant("Sampled"), premiumE10: fc.option(signed), atMillis: millis }),
  fc.record({
    _tag: fc.constant("Funded"),
    rateE12: signed,
    markE8: count,
    remainder: count,
    fromMillis: millis,
    skipped: fc.boolean(),
    atMillis: millis
  }),
  fc.record({
    _tag: fc.constant("StopPlaced"),
    commandId: fc.option(id),
    expiresAtMillis: millis,
    order,
    takerRate: signed,
    leverage: count,
    parentId: fc.option(id.map(orderIdFrom)),
    atMillis: millis
  }),
  fc.record({ _tag: fc.constant("TwapOpened"), ...sent, twap, atMillis: millis }),
  fc.record({ _tag: fc.constant("TwapAdvanced"), twap, atMillis: millis }),
  fc.record({
    _tag: fc.constant("TwapClosed"),
    commandId: fc.option(id),
    twap,
    ending: fc.constantFrom(...TwapEnding.literals),
    atMillis: millis
  }),
  fc.record({
    _tag: fc.constant("Triggered"),
    stopType: fc.constantFrom("TAKE_PROFIT", "STOP_LOSS"),
    order,
    atMillis: millis
  })
)

/**
 * Lists of events like a market's: an order can occur again with less remaining, and a command id can equal an order
 * id.
 */
export const marketEvents: fc.Arbitrary<ReadonlyArray<MarketEvent>> = fc
  .array(fc.tuple(marketEvent, fc.boolean(), count), { maxLength: 12 })
  .map((drawn) => {
    let last: Order | undefined
    return drawn.map(([event, again, remainingLots]): MarketEvent => {
      switch (event._tag) {
        case "Accepted":
        case "StopPlaced":
          last = event.order
          return again ? { ...event, commandId: event.order.orderId } : event
        case "Ended":
          return again && last !== undefined ? { ...event, order: { ...last, remainingLots } } : event
        case "Traded":
          return again && last !== undefined
            ? {
                ...event,
                taker: { ...event.taker, order: { ...last, remainingLots, updatedAtMillis: event.atMillis } },
                maker: { ...event.maker, order: { ...event.maker.order, userId: last.userId } }
              }
            : event
        default:
          return event
      }
    })
  })
