/** What an order would come to, as the trade socket and REST tell it alike. */
import { decimalOfMoney, decimalOfUnits } from "@venue/domain/Decimal"
import type { AccountId } from "@venue/domain/AccountId"
import { echoOf, unlisted } from "@venue/domain/Echo"
import { feeOf } from "@venue/domain/Fee"
import { type Instrument, notional, priceOf, quantityOf } from "@venue/domain/Instrument"
import { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { type Preview, type PreviewRequest, PreviewStatus } from "@venue/domain/Preview"
import { OrderRefusal } from "@venue/domain/Reject"
import { Schema } from "effect"
import { averagePrice } from "./AveragePrice.ts"
import { refusalText } from "./RefusalText.ts"

export const PreviewRefusal = Schema.Struct({
  status: OrderRefusal,
  message: Schema.String
}).annotate({ identifier: "PreviewRefusal" })

const Known = Schema.NullOr(Schema.Finite)

/** Rule 4.19 says what each of them is. */
export const PreviewParts = {
  user_id: Schema.String,
  symbol: Schema.String,
  /** Left out of a close without a position. */
  side: Schema.optionalKey(Side),
  type: OrderType,
  time_in_force: TimeInForce,
  price: Schema.Finite,
  quantity: Schema.Finite,
  reduce_only: Schema.Boolean,
  client_order_id: Schema.String,
  status: Schema.Union([PreviewStatus, OrderRefusal]),
  refusal: Schema.NullOr(PreviewRefusal),
  mark_price: Known,
  min_price: Known,
  max_price: Known,
  worst_price: Known,
  filled_quantity: Schema.Finite,
  average_price: Schema.Finite,
  resting_quantity: Schema.Finite,
  realised_pnl: Schema.Finite,
  leverage: Known,
  order_margin: Known,
  available_balance: Known,
  available_balance_after: Known,
  required_fee: Known,
  taker_fee_rate: Known,
  maker_fee_rate: Known,
  fee: Schema.Finite,
  resting_fee: Schema.Finite,
  builder_reward: Schema.Finite,
  venue_fee: Schema.Finite,
  reserve_fund_fee: Schema.Finite,
  builder_fee_share_bps: Schema.Int,
  venue_fee_share_bps: Schema.Int
}
export type PreviewBody = Schema.Struct<typeof PreviewParts>["Type"]

/** Without an instrument nobody lists the symbol, and there is nothing to say but that. */
export const previewBody = (
  accountId: AccountId,
  request: PreviewRequest,
  told: { readonly instrument: Instrument; readonly preview: Preview } | undefined
): PreviewBody => {
  const refusal = told === undefined ? unlisted[request._tag] : told.preview.market.refusal
  return {
    user_id: accountId,
    symbol: request.symbol,
    ...(told === undefined ? askedFor(request) : ordered(told.instrument, request, told.preview)),
    client_order_id: request.clientOrderId,
    status: refusal ?? told!.preview.market.status!,
    refusal: refusal === null ? null : { status: refusal, message: refusalText[refusal] },
    ...(told === undefined
      ? nothing
      : { ...priced(told.instrument, request, told.preview), ...costs(told.instrument, told.preview) })
  }
}

type Order = Pick<PreviewBody, "side" | "type" | "time_in_force" | "price" | "quantity" | "reduce_only">

const ordered = (instrument: Instrument, request: PreviewRequest, { market: { order } }: Preview): Order =>
  order === null
    ? askedFor(request)
    : {
        side: order.side,
        type: order.type,
        time_in_force: order.timeInForce,
        price: priceOf(instrument, order.priceTicks),
        quantity: quantityOf(instrument, order.quantityLots),
        reduce_only: order.reduceOnly
      }

const askedFor = (request: PreviewRequest): Order => {
  const { price, quantity, side, timeInForce, type } = echoOf(request)
  return {
    ...(side === null ? {} : { side }),
    // A close is one of these, and says so only here.
    type: type ?? "LIMIT",
    time_in_force: timeInForce ?? "IOC",
    price: type === "MARKET" ? 0 : price,
    quantity,
    reduce_only: request._tag === "ClosePosition" || request.reduceOnly
  }
}

const priced = (instrument: Instrument, request: PreviewRequest, { market }: Preview) => {
  const { fills, order, prices, restingLots } = market
  const side = order?.side ?? echoOf(request).side
  const price = (ticks: number) => priceOf(instrument, ticks)
  return {
    mark_price: prices === null ? null : decimalOfUnits(prices.markE8),
    min_price:
      prices === null
        ? null
        : price(side === "SELL" ? Math.max(prices.minPriceTicks, prices.lowerTicks) : prices.minPriceTicks),
    max_price:
      prices === null
        ? null
        : price(side === "BUY" ? Math.min(prices.maxPriceTicks, prices.upperTicks) : prices.maxPriceTicks),
    worst_price: order === null || order.worstTicks === 0 ? null : price(order.worstTicks),
    filled_quantity: quantityOf(instrument, fills.quantityLots),
    average_price: Number(averagePrice(instrument, { basis: fills.notional, quantityLots: fills.quantityLots })),
    resting_quantity: quantityOf(instrument, restingLots),
    realised_pnl: decimalOfMoney(fills.realised)
  }
}

const costs = (instrument: Instrument, { market, trader }: Preview) => {
  const { fills, order, restingLots, share } = market
  const { available, leverage, makerRate, margin, takerRate, wholeFee } = trader
  const resting = notional(instrument, order?.priceTicks ?? 0, restingLots)
  return {
    leverage,
    order_margin: margin === null ? null : decimalOfMoney(margin),
    available_balance: decimalOfMoney(available),
    available_balance_after: margin === null ? null : decimalOfMoney(available - margin),
    required_fee: wholeFee === null ? null : decimalOfMoney(wholeFee),
    taker_fee_rate: decimalOfUnits(takerRate),
    maker_fee_rate: decimalOfUnits(makerRate),
    fee: decimalOfMoney(fills.fee),
    resting_fee: decimalOfMoney(feeOf(resting, makerRate)),
    builder_reward: decimalOfMoney(fills.reward),
    venue_fee: decimalOfMoney(fills.fee - fills.reward - fills.remainder),
    reserve_fund_fee: decimalOfMoney(fills.remainder),
    builder_fee_share_bps: share?.builderBps ?? 0,
    venue_fee_share_bps: share?.venueBps ?? 10_000
  }
}

const nothing = {
  mark_price: null,
  min_price: null,
  max_price: null,
  worst_price: null,
  filled_quantity: 0,
  average_price: 0,
  resting_quantity: 0,
  realised_pnl: 0,
  leverage: null,
  order_margin: null,
  available_balance: null,
  available_balance_after: null,
  required_fee: null,
  taker_fee_rate: null,
  maker_fee_rate: null,
  fee: 0,
  resting_fee: 0,
  builder_reward: 0,
  venue_fee: 0,
  reserve_fund_fee: 0,
  builder_fee_share_bps: 0,
  venue_fee_share_bps: 10_000
}
