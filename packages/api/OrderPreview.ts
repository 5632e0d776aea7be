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
import * as Member from "./Member.ts"
import { refusalText } from "./RefusalText.ts"

export const PreviewRefusal = Schema.Struct({
  status: OrderRefusal,
  message: Member.text("What is wrong, for people")
}).annotate({ identifier: "PreviewRefusal" })

/** Rule 4.19 says more of each of them. */
export const PreviewParts = {
  user_id: Member.uuid("The account that asked; of a primary account, the user's id"),
  symbol: Member.symbol,
  side: Schema.optionalKey(Side.annotate({ description: "Left out of a close without a position." })),
  type: OrderType,
  time_in_force: TimeInForce,
  price: Member.price("Its limit, 0 for MARKET; of a stop, what the mark has to reach"),
  quantity: Member.quantity("The total"),
  reduce_only: Member.truth("It may only reduce a position"),
  client_order_id: Member.text("As the client gave it; empty when it gave none"),
  status: Schema.Union([PreviewStatus, OrderRefusal]).annotate({
    description: "What would be told of it last at once, or why it would be refused."
  }),
  refusal: Schema.NullOr(PreviewRefusal),
  mark_price: Schema.NullOr(Member.price("The mark; null before the first price")),
  min_price: Schema.NullOr(Member.price("An order of its side may be priced from here")),
  max_price: Schema.NullOr(Member.price("An order of its side may be priced up to here")),
  worst_price: Schema.NullOr(Member.price("It fills no worse; null where no such price is known")),
  filled_quantity: Member.quantity("What would fill at once"),
  average_price: Member.price("At which that would fill, 0 for nothing"),
  resting_quantity: Member.quantity("What would rest"),
  realised_pnl: Member.usd("What these fills would realise"),
  leverage: Schema.NullOr(Member.leverage("The level of the account")),
  order_margin: Schema.NullOr(Member.usd("What would be held on top of what is held")),
  available_balance: Schema.NullOr(Member.usd("What is available before")),
  available_balance_after: Schema.NullOr(Member.usd("What is available with the margin held")),
  required_fee: Schema.NullOr(Member.usd("The taker's fee on all of it, which has to be available where it adds risk")),
  taker_fee_rate: Schema.NullOr(Member.fraction("The taker's fee, of the notional")),
  maker_fee_rate: Schema.NullOr(Member.fraction("The maker's fee, of the notional")),
  fee: Member.usd("The taker's fee of the fills at once"),
  resting_fee: Member.usd("The maker's fee on what would rest, in one fill at its price"),
  builder_reward: Member.usd("So much of the fee would be the builder's"),
  venue_fee: Member.usd("So much of the fee would be the venue's"),
  reserve_fund_fee: Member.usd("So much of the fee would be the reserve fund's"),
  builder_fee_share_bps: Member.count("The builder's share, in basis points"),
  venue_fee_share_bps: Member.count("The venue's share, in basis points")
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
