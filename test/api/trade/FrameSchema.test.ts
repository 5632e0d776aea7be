/** Tests that hand-printed frames of the trade socket match their Schemas exactly. */
import * as Frame from "@venue/api/trade/Frame"
import * as Schemas from "@venue/api/trade/FrameSchema"
import { Channel } from "@venue/api/trade/CommandSchema"
import { ErrorCode } from "@venue/api/ErrorFrame"
import * as Incoming from "@venue/api/Incoming"
import type { UserTrade } from "@venue/api/UserTrade"
import { AccountId } from "@venue/domain/AccountId"
import { parse } from "@venue/domain/Id"
import { initialInstruments } from "@venue/domain/Instrument"
import type { Echo } from "@venue/domain/Echo"
import type { Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { type Order, OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import { OrderRefusal } from "@venue/domain/Reject"
import type { Balance, Holding } from "@venue/domain/Balance"
import { TwapId, TwapStatus } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { frameFault } from "../../SocketFrames.ts"

const decode = Schema.decodeUnknownSync(Schemas.Frame)

/** Fails on keys that the Schema does not define, because they would be undocumented. */
const holds = (frame: string, ...keys: ReadonlyArray<string>): void => {
  const parsed: object = JSON.parse(frame)
  expect(decode(parsed, { onExcessProperty: "error" })).toEqual(parsed)
  expect(Object.keys(parsed)).toEqual(keys)
  expect(frameFault("trade", frame)).toBeUndefined()
}

const oneOf = <A>(words: ReadonlyArray<A>) => fc.constantFrom(...words)
const instrument = oneOf(initialInstruments)
const uuid = fc.uuid()
const id = uuid.map((text) => parse(text)!)
const clientOrderId = fc.oneof(fc.constant(""), fc.string({ maxLength: 64 }))
const count = fc.nat({ max: 1_000_000_000 })
const millis = fc.integer({ min: 0, max: 4_102_444_800_000 })
const money = fc.maxSafeInteger()
const bigMoney = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })

const order: fc.Arbitrary<Order> = fc.record({
  orderId: id.map(orderIdFrom),
  userId: uuid.map((text) => UserId.make(text)),
  accountId: uuid.map((text) => AccountId.make(text)),
  side: oneOf(Side.literals),
  type: oneOf(OrderType.literals),
  timeInForce: oneOf(TimeInForce.literals),
  priceTicks: count,
  quantityLots: count,
  remainingLots: count,
  reduceOnly: fc.boolean(),
  clientOrderId,
  origin: oneOf(OrderOrigin.literals),
  builderCode: fc.constant(""),
  modified: fc.boolean(),
  updatedAtMillis: millis
})

const resting: fc.Arbitrary<Frame.RestingOrder> = fc.record({
  instrument,
  order,
  status: oneOf(["ACK", "MODIFIED"] as const),
  updateMillis: millis
})

const twapRow: fc.Arbitrary<Frame.TwapRow> = fc.record({
  instrument,
  status: oneOf(TwapStatus.literals),
  twap: fc.record({
    twapId: uuid.map((text) => TwapId.make(text)),
    userId: uuid.map((text) => UserId.make(text)),
    accountId: uuid.map((text) => AccountId.make(text)),
    clientTwapId: clientOrderId,
    side: oneOf(Side.literals),
    totalLots: count,
    slices: count,
    intervalMillis: fc.integer({ min: 30, max: 86_400 }).map((seconds) => seconds * 1_000),
    reduceOnly: fc.boolean(),
    worstTicks: count,
    builderCode: fc.constant(""),
    startMillis: millis,
    createdAtMillis: millis,
    lastSlice: count,
    filledLots: count,
    filledValue: count,
    filledSlices: count,
    refusal: fc.constant(null),
    updatedAtMillis: millis
  })
})

const reward = fc.record({ ownerId: uuid.map((text) => UserId.make(text)), amount: money, remainder: money })
const fill = fc.record({ order, fee: money, realised: money, marginUsed: count, reward: fc.option(reward) })
const traded: fc.Arbitrary<Traded> = fc.record({
  _tag: fc.constant("Traded" as const),
  tradeId: id,
  number: count,
  priceTicks: count,
  quantityLots: count,
  notional: money,
  maker: fill,
  taker: fill,
  atMillis: millis
})

const decimal = fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)
const echo: fc.Arbitrary<Echo> = fc.record({
  orderId: clientOrderId,
  side: fc.option(oneOf(Side.literals)),
  type: fc.option(oneOf(OrderType.literals)),
  timeInForce: fc.option(oneOf(TimeInForce.literals)),
  price: decimal,
  quantity: decimal,
  clientOrderId,
  reduceOnly: fc.boolean()
})

const userTrade = (symbol: string): fc.Arbitrary<UserTrade> =>
  fc.record({
    symbol: fc.constant(symbol).map((text) => MarketSymbol.make(text)),
    tradeId: uuid,
    side: oneOf(Side.literals),
    aggressorSide: oneOf(Side.literals),
    orderId: uuid,
    clientOrderId,
    price: count,
    quantity: count,
    fee: money,
    realised: money,
    marginUsed: count,
    orderType: oneOf(OrderType.literals),
    timeInForce: oneOf(TimeInForce.literals),
    origin: oneOf(OrderOrigin.literals),
    liquidation: fc.constant("NONE" as const),
    executionType: fc.constant("NEW" as const),
    atMillis: millis
  })

const check = <A>(arbitrary: fc.Arbitrary<A>, test: (value: A) => void): void =>
  fc.assert(fc.property(arbitrary, test), { numRuns: 200 })

it("order states, refusals and order lists match their Schemas", () => {
  check(
    fc.tuple(resting, oneOf(Schemas.OrderStatus.literals), fc.option(uuid)),
    ([{ instrument, order }, status, trade]) =>
      holds(Frame.orderResponse(instrument, order, status, order.updatedAtMillis, trade), "order_response")
  )
  check(
    fc.tuple(fc.string(), uuid, oneOf([...OrderRefusal.literals, "EXPIRED"] as const), echo, millis),
    ([symbol, accountId, status, echo, atMillis]) =>
      holds(Frame.refusal(symbol, { accountId: AccountId.make(accountId), status, echo, atMillis }), "order_response")
  )
  check(resting, (order) => holds(Frame.getOrderResponse(order), "order_response", "all_orders_response"))
  check(fc.tuple(fc.array(resting, { maxLength: 3 }), fc.array(twapRow, { maxLength: 3 })), ([all, twaps]) =>
    holds(Frame.allOrdersResponse(all, twaps), "all_orders_response", "get_orders_response")
  )
})

it("TWAP states and the response to a TWAP cancel match their Schemas", () => {
  check(twapRow, (row) => holds(Frame.twapResponse(row), "twap_response"))
  check(twapRow, ({ instrument, twap }) =>
    holds(Frame.twapCancelled(instrument, twap, 1_790_503_301_400), "order_response")
  )
})

it("fills and lists of fills match their Schemas", () => {
  check(fc.tuple(instrument, traded, oneOf(["maker", "taker"] as const)), ([instrument, traded, role]) =>
    holds(Frame.fillResponse(instrument, traded, role), "fill_response")
  )
  check(
    instrument.chain((market) => fc.tuple(fc.constant(market), fc.array(userTrade(market.symbol), { maxLength: 3 }))),
    ([instrument, trades]) =>
      holds(
        Frame.userTradesResponse(() => instrument, trades, trades.length),
        "user_trades_response",
        "user_trades",
        "count"
      )
  )
})

const holding = (symbol: string): fc.Arbitrary<Holding> =>
  fc.record({
    accountId: uuid.map((text) => AccountId.make(text)),
    symbol: fc.constant(symbol).map((text) => MarketSymbol.make(text)),
    quantityLots: fc.integer(),
    basis: money,
    realised: money,
    unrealised: bigMoney,
    funding: money,
    fees: money,
    leverage: fc.integer({ min: 1, max: 100 }),
    marginHeld: bigMoney,
    openOrders: fc.nat(),
    openQuantityLots: count
  })

const balance: fc.Arbitrary<Balance> = fc.record({
  accountId: uuid.map((text) => AccountId.make(text)),
  deposit: bigMoney,
  realised: bigMoney,
  unrealised: bigMoney,
  funding: bigMoney,
  fees: bigMoney,
  builderRewards: fc.option(bigMoney),
  orderMargin: bigMoney,
  positionMargin: bigMoney,
  equity: bigMoney,
  available: bigMoney,
  withdrawable: bigMoney
})

it("positions, balance and leverage match their Schemas", () => {
  check(
    instrument.chain((market) => fc.tuple(fc.constant(market), holding(market.symbol))),
    ([instrument, holding]) => holds(Frame.positionResponse(instrument, holding), "position_response")
  )
  check(balance, (balance) => holds(Frame.balanceResponse(balance), "balance_response"))
  const levels = fc.array(fc.record({ instrument, leverage: fc.integer({ min: 1, max: 100 }) }), { maxLength: 3 })
  check(fc.tuple(uuid, levels), ([accountId, levels]) => {
    holds(Frame.userLeverageResponse(AccountId.make(accountId), levels), "user_leverage_response")
    holds(Frame.availableLeverageLevelsResponse(levels), "available_leverage_levels_response")
  })
})

it("sign-in, channel, acknowledgement and error frames match their Schemas, whatever the request", () => {
  holds(Frame.authenticated, "type", "result", "authenticated")
  for (const channel of Channel.literals) {
    holds(Frame.subscribed(channel), "subscribed")
    holds(Frame.unsubscribed(channel), "unsubscribed")
  }
  for (const armed of [true, false]) holds(Frame.cancelOnDisconnect(armed), "cancel_on_disconnect")
  const request = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue()).map((fields) => Incoming.ofObject(JSON.stringify(fields))),
    fc.string({ maxLength: 9_000 }).map((text) => Incoming.ofText(text)),
    fc.string({ minLength: 9_000, maxLength: 9_100 }).map((text) => Incoming.ofObject(JSON.stringify({ text })))
  )
  check(fc.tuple(request, oneOf(ErrorCode.literals), fc.string(), fc.nat()), ([request, code, message, retryAfter]) => {
    holds(Frame.ack(request), "ack", "ack_response")
    const isOn = retryAfter > 0
    holds(
      Frame.cancelAllAfterResponse(isOn ? retryAfter : 0, retryAfter * 1_000, request),
      "cancel_all_after_response",
      "ack",
      "ack_response"
    )
    holds(Frame.err(code, message, request), "err")
    holds(Frame.rateLimited(retryAfter, request), "err")
  })
})
