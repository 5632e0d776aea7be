/** Body of an order preview, shared by the trade socket and REST. */
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

/** Reason why a previewed order would be refused. */
export const PreviewRefusal = Schema.Struct({
  status: OrderRefusal.annotate({ description: "Standard name of the refusal." }),
  message: Member.text("Explanation of the refusal, for people")
}).annotate({ identifier: "PreviewRefusal", description: "Reason why the order would be refused." })

/** Members of a preview; see rule 4.19. */
export const PreviewParts = {
  user_id: Member.uuid("Account of the order; the user's id for the primary account"),
  symbol: Member.symbol,
  side: Schema.optionalKey(Side.annotate({ description: "Order side; absent for a close without a position." })),
  type: OrderType.annotate({ description: "Order type." }),
  time_in_force: TimeInForce.annotate({ description: "Time in force of the order." }),
  price: Member.price("Limit price, 0 for MARKET; for a stop, the mark price that fires it"),
  quantity: Member.quantity("Total quantity"),
  reduce_only: Member.truth("Whether the order may only reduce a position"),
  client_order_id: Member.text("Client order id; empty if none"),
  status: Schema.Union([PreviewStatus, OrderRefusal]).annotate({
    description: "Status that the order would have immediately, or the standard name of the refusal."
  }),
  refusal: Schema.NullOr(PreviewRefusal).annotate({
    description: "Reason why the order would be refused; null if it would be accepted."
  }),
  mark_price: Schema.NullOr(Member.price("Mark price; null before the first price")),
  min_price: Schema.NullOr(Member.price("Lowest price allowed for an order on its side")),
  max_price: Schema.NullOr(Member.price("Highest price allowed for an order on its side")),
  worst_price: Schema.NullOr(Member.price("Worst possible price of a fill; null without a known bound")),
  filled_quantity: Member.quantity("Quantity that would fill immediately"),
  average_price: Member.price("Average price of the immediate fills; 0 without a fill"),
  resting_quantity: Member.quantity("Quantity that would rest on the book"),
  realised_pnl: Member.usd("Profit or loss that the immediate fills would realise"),
  leverage: Schema.NullOr(Member.leverage("Leverage of the account in the market")),
  order_margin: Schema.NullOr(Member.usd("Additional margin that would be held")),
  available_balance: Schema.NullOr(Member.usd("Available balance before the order")),
  available_balance_after: Schema.NullOr(Member.usd("Available balance after the margin is held")),
  required_fee: Schema.NullOr(
    Member.usd(
      "Taker fee on the whole quantity, which must be available in addition to the margin if the order adds risk"
    )
  ),
  taker_fee_rate: Schema.NullOr(Member.fraction("Taker fee rate on the notional")),
  maker_fee_rate: Schema.NullOr(Member.fraction("Maker fee rate on the notional")),
  fee: Member.usd("Taker fee of the immediate fills"),
  resting_fee: Member.usd("Maker fee of the resting quantity, filled at its price"),
  builder_reward: Member.usd("Part of the fee that goes to the builder"),
  venue_fee: Member.usd("Part of the fee that goes to the venue"),
  reserve_fund_fee: Member.usd("Part of the fee that goes to the market's reserve fund"),
  builder_fee_share_bps: Member.count("The builder's share of the fee, in basis points"),
  venue_fee_share_bps: Member.count("The venue's share of the fee, in basis points")
}
/** Body of a preview. */
export type PreviewBody = Schema.Struct<typeof PreviewParts>["Type"]

/** Returns the body of a preview. Without a market, the symbol is not listed and the body only repeats the request. */
export const previewBody = (
  accountId: AccountId,
  request: PreviewRequest,
  market: { readonly instrument: Instrument; readonly preview: Preview } | undefined
): PreviewBody => {
  const refusal = market === undefined ? unlisted[request._tag] : market.preview.market.refusal
  return {
    user_id: accountId,
    symbol: request.symbol,
    ...(market === undefined ? requested(request) : ordered(market.instrument, request, market.preview)),
    client_order_id: request.clientOrderId,
    status: refusal ?? market!.preview.market.status!,
    refusal: refusal === null ? null : { status: refusal, message: refusalText[refusal] },
    ...(market === undefined
      ? nothing
      : { ...priced(market.instrument, request, market.preview), ...costs(market.instrument, market.preview) })
  }
}

type Order = Pick<PreviewBody, "side" | "type" | "time_in_force" | "price" | "quantity" | "reduce_only">

const ordered = (instrument: Instrument, request: PreviewRequest, { market: { order } }: Preview): Order =>
  order === null
    ? requested(request)
    : {
        side: order.side,
        type: order.type,
        time_in_force: order.timeInForce,
        price: priceOf(instrument, order.priceTicks),
        quantity: quantityOf(instrument, order.quantityLots),
        reduce_only: order.reduceOnly
      }

const requested = (request: PreviewRequest): Order => {
  const { price, quantity, side, timeInForce, type } = echoOf(request)
  return {
    ...(side === null ? {} : { side }),
    // A close is a LIMIT IOC order, but its request states neither type nor time in force.
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
