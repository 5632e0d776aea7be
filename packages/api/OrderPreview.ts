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
  status: OrderRefusal.annotate({ description: "Code of the refusal." }),
  message: Member.text("Human-readable explanation of the refusal")
}).annotate({ identifier: "PreviewRefusal", description: "Reason why the order would be refused." })

/** Members of a preview; see rule 4.19. */
export const PreviewParts = {
  user_id: Member.uuid("Account id of the order. The primary account's id is the user's id"),
  symbol: Member.symbol,
  side: Schema.optionalKey(
    Side.annotate({ description: "Order side; omitted if the request closes a position that does not exist." })
  ),
  type: OrderType.annotate({ description: "Order type." }),
  time_in_force: TimeInForce.annotate({ description: "Time in force of the order." }),
  price: Member.price("Limit price, or the trigger price of a stop", "; 0 for MARKET"),
  quantity: Member.quantity("Total quantity of the order"),
  reduce_only: Member.truth("Whether the order can only reduce a position"),
  client_order_id: Member.text("Client order id; empty if not set"),
  status: Schema.Union([PreviewStatus, OrderRefusal]).annotate({
    description: "Status that the order would have immediately after placement, or the code of the refusal."
  }),
  refusal: Schema.NullOr(PreviewRefusal).annotate({
    description: "Reason why the order would be refused; null if it would be accepted."
  }),
  mark_price: Schema.NullOr(Member.price("Mark price", "; null before the first price")),
  min_price: Schema.NullOr(Member.price("Minimum price for an order on this side", "; null before the first price")),
  max_price: Schema.NullOr(Member.price("Maximum price for an order on this side", "; null before the first price")),
  worst_price: Schema.NullOr(Member.price("Worst price at which the order could fill", "; null if no bound is known")),
  filled_quantity: Member.quantity("Quantity that would fill immediately"),
  average_price: Member.price("Average price of the immediate fills", "; 0 if nothing would fill"),
  resting_quantity: Member.quantity("Quantity that would rest on the book"),
  realised_pnl: Member.usd("Profit or loss that the immediate fills would realise"),
  leverage: Schema.NullOr(Member.leverage("Leverage of the account in this market", "; null for an unlisted symbol")),
  order_margin: Schema.NullOr(
    Member.usd("Additional margin that the order would hold", "; null if it cannot be computed")
  ),
  available_balance: Schema.NullOr(Member.usd("Available balance before the order", "; null for an unlisted symbol")),
  available_balance_after: Schema.NullOr(
    Member.usd("Available balance after the order's margin is held", "; null if the margin cannot be computed")
  ),
  required_fee: Schema.NullOr(
    Member.usd(
      "Taker fee on the whole quantity",
      "; null if it cannot be computed. If the order adds risk, the available balance must cover this fee and the margin"
    )
  ),
  taker_fee_rate: Schema.NullOr(Member.fraction("Taker fee rate", " of the notional; null for an unlisted symbol")),
  maker_fee_rate: Schema.NullOr(Member.fraction("Maker fee rate", " of the notional; null for an unlisted symbol")),
  fee: Member.usd("Taker fee of the immediate fills"),
  resting_fee: Member.usd("Maker fee if the resting quantity fills at the limit price"),
  builder_reward: Member.usd("Part of `fee` that the builder receives"),
  venue_fee: Member.usd("Part of `fee` that the venue keeps"),
  reserve_fund_fee: Member.usd("Part of `fee` that the market's reserve fund receives"),
  builder_fee_share_bps: Member.count("Builder's share of each fee, in basis points"),
  venue_fee_share_bps: Member.count("Venue's share of each fee, in basis points")
}
/** Body of a preview. */
export type PreviewBody = Schema.Struct<typeof PreviewParts>["Type"]

/**
 * Returns the body of a preview. If the market is missing because the symbol is not listed, the body only repeats the
 * request.
 */
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
