/** `GET /user/trade`: the fills of an account, newest first. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Instrument, priceOf, quantityOf } from "@venue/domain/Instrument"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { OrderType, Side } from "@venue/domain/Order"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import type { UserTrade } from "../UserTrade.ts"
import { Rows, SchemaLink } from "../Body.ts"
import { AnyCase, described, Moment, Optional, WholeNumber } from "../Parameter.ts"
import { Authenticated } from "./Caller.ts"

export const Trade = Schema.Struct({
  $schema: SchemaLink,
  id: Schema.String,
  order_timestamp: Schema.Finite,
  symbol: Schema.String,
  price: Schema.Finite,
  quantity: Schema.Finite,
  side: Schema.String,
  fee: Schema.Finite,
  margin_used: Schema.Finite,
  order_type: Schema.String,
  tif: Schema.String,
  order_id: Schema.String,
  realised_pnl_change: Schema.Finite,
  liquidation: Schema.String,
  order_origin: Schema.String,
  execution_type: Schema.String
}).annotate({ identifier: "Trade" })
export type Trade = typeof Trade.Type

export const TradesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(Trade),
  /** Rows in this answer, not of all. */
  count: Schema.Int
}).annotate({ identifier: "TradesResponseBody" })

/** `start` and `start_time` are one bound under two names, and so are the ends: the narrower one holds. */
const TradesQuery = {
  exchange_order_id: Optional(Schema.String),
  start: Optional(Moment),
  end: Optional(Moment),
  start_time: Optional(Moment),
  end_time: Optional(Moment),
  symbol: Optional(Schema.String),
  ordertype: Optional(AnyCase(OrderType)),
  orderdirection: Optional(AnyCase(Side)),
  limit: Optional(WholeNumber({ minimum: 1, maximum: 1_000 })),
  offset: Optional(WholeNumber({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))
}

const defaultLimit = 100

const moment = { type: "string", format: "date-time" }

export const TradeGroup = HttpApiGroup.make("trade")
  .add(
    HttpApiEndpoint.get("trades", "/user/trade", {
      query: TradesQuery,
      success: TradesResponseBody,
      error: [BadRequest, ServiceUnavailable]
    }).annotate(
      OpenApi.Transform,
      described({
        start: moment,
        end: moment,
        start_time: moment,
        end_time: moment,
        ordertype: { type: "string", enum: OrderType.literals },
        orderdirection: { type: "string", enum: Side.literals },
        limit: { type: "integer", minimum: 1, maximum: 1_000, default: defaultLimit },
        offset: { type: "integer", minimum: 0, default: 0 }
      })
    )
  )
  .middleware(Authenticated)

/** What was asked, with the defaults of what was not. Milliseconds; the start is included, the end is not. */
export interface TradesAsked {
  readonly orderId: string | undefined
  readonly startMillis: number | undefined
  readonly endMillis: number | undefined
  readonly symbol: MarketSymbol | undefined
  readonly orderType: OrderType | undefined
  readonly side: Side | undefined
  readonly limit: number
  readonly offset: number
}

export const tradesAsked = (query: Schema.Struct<typeof TradesQuery>["Type"]): TradesAsked => ({
  orderId: query.exchange_order_id,
  startMillis: narrower(query.start, query.start_time, Math.max),
  endMillis: narrower(query.end, query.end_time, Math.min),
  symbol: query.symbol === undefined ? undefined : MarketSymbol.make(query.symbol.toUpperCase()),
  orderType: query.ordertype,
  side: query.orderdirection,
  limit: query.limit ?? defaultLimit,
  offset: query.offset ?? 0
})

export const tradeRecord = (instrument: Instrument, trade: UserTrade): Trade => ({
  id: trade.tradeId,
  order_timestamp: trade.atMillis / 1_000,
  symbol: trade.symbol,
  price: priceOf(instrument, trade.price),
  quantity: quantityOf(instrument, trade.quantity),
  side: trade.side,
  fee: decimalOfMoney(trade.fee),
  margin_used: decimalOfMoney(trade.marginUsed),
  order_type: trade.orderType,
  tif: trade.timeInForce,
  order_id: trade.orderId,
  realised_pnl_change: decimalOfMoney(trade.realised),
  liquidation: trade.liquidation,
  order_origin: trade.origin,
  execution_type: trade.executionType
})

const narrower = (
  one: number | undefined,
  other: number | undefined,
  choose: (one: number, other: number) => number
): number | undefined => (one === undefined ? other : other === undefined ? one : choose(one, other))
