/** `GET /user/trade`: an account's fills, newest first. `GET /trades-csv`: all of them as a file, oldest first. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Instrument, priceOf, quantityOf } from "@venue/domain/Instrument"
import { OrderType, Side } from "@venue/domain/Order"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import type { UserTrade } from "../UserTrade.ts"
import { Rows, SchemaLink, SymbolName } from "../Body.ts"
import * as Csv from "../Csv.ts"
import * as Digits from "../Digits.ts"
import { AnyCase, described, Moment, Optional } from "../Parameter.ts"
import { Authenticated } from "./Caller.ts"
import { csvAnswer } from "./CsvFile.ts"
import {
  defaultLimit,
  limitQuery,
  type ListFilter,
  ListCount,
  listParameters,
  moment,
  offsetQuery,
  rangeQuery,
  symbolFrom,
  symbolQuery
} from "./ListPage.ts"
import { operation } from "../Operation.ts"

/** One of an account's fills. */
export const Trade = Schema.Struct({
  $schema: SchemaLink,
  id: Schema.String.annotate({ description: "Id of the trade." }),
  order_timestamp: Schema.Finite.annotate({
    description: "Time of the fill, in Unix seconds with millisecond precision."
  }),
  symbol: SymbolName,
  price: Schema.Finite.annotate({ description: "Price of the fill, in USD per base unit." }),
  quantity: Schema.Finite.annotate({ description: "Quantity of the fill, in base units." }),
  side: Schema.String.annotate({ description: "Side of the account's order: `BUY` or `SELL`." }),
  fee: Schema.Finite.annotate({ description: "Fee paid, in USD; negative for a rebate." }),
  margin_used: Schema.Finite.annotate({
    description: "Initial margin that the fill added, in USD; 0 if the fill reduced the position."
  }),
  order_type: Schema.String.annotate({ description: "Order type." }),
  tif: Schema.String.annotate({ description: "Time in force of the order: `GTC`, `IOC` or `FOK`." }),
  order_id: Schema.String.annotate({ description: "Id of the filled order." }),
  realised_pnl_change: Schema.Finite.annotate({ description: "Profit or loss that the fill realised, in USD." }),
  liquidation: Schema.String.annotate({
    description: "Role of the fill in a liquidation: `NONE`, `ORDERBOOK`, `OFF_BOOK` or `ADL`."
  }),
  order_origin: Schema.String.annotate({
    description: "Origin of the order: the user, a TWAP, a stop, a close of the position, or the venue."
  }),
  execution_type: Schema.String.annotate({
    description: "Kind of execution: `NEW`, `LIQUIDATION`, `ADL` or `SETTLEMENT`."
  })
}).annotate({ identifier: "Trade", description: "One fill of an account." })
export type Trade = typeof Trade.Type

/** Response body of `GET /user/trade`. */
export const TradesResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(Trade).annotate({ description: "Fills, newest first." }),
  count: ListCount
}).annotate({ identifier: "TradesResponseBody" })

/**
 * Query for fills. `start` and `start_time` both set the start, `end` and `end_time` both set the end; the narrower
 * bound applies.
 */
const TradesQuery = {
  exchange_order_id: Optional(Schema.String),
  ...rangeQuery,
  start_time: Optional(Moment),
  end_time: Optional(Moment),
  ...symbolQuery,
  ordertype: Optional(AnyCase(OrderType)),
  orderdirection: Optional(AnyCase(Side)),
  ...limitQuery,
  ...offsetQuery
}

export const TradeGroup = HttpApiGroup.make("trade")
  .add(
    HttpApiEndpoint.get("trades", "/user/trade", {
      query: TradesQuery,
      success: TradesResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List fills",
          "Returns the fills of an account, newest first, filtered by time, symbol, order, type and side. " +
            "`start` and `start_time` set the same bound, and so do `end` and `end_time`; the narrower bound applies. " +
            "Refused with 422 for an invalid value, and with 400 for an unknown symbol, a range that ends " +
            "before it starts, an offset that is too large, or a search by type or side that takes too long."
        )
      )
      .annotate(
        OpenApi.Transform,
        described({
          ...listParameters,
          start_time: { ...moment, description: "Include fills at or after this time. Default: no bound." },
          end_time: { ...moment, description: "Include fills before this time. Default: no bound." },
          ordertype: {
            type: "string",
            enum: OrderType.literals,
            description: "Include only fills of orders of this type, in any letter case. Default: all types."
          },
          orderdirection: {
            type: "string",
            enum: Side.literals,
            description: "Include only fills of orders on this side, in any letter case. Default: both sides."
          }
        })
      ),
    HttpApiEndpoint.get("tradesCsv", "/trades-csv", csvAnswer).annotateMerge(
      operation(
        "Download fills",
        "Returns all fills of an account as one CSV file with a header line. Refused with 429 while two other " +
          "downloads of the user are running, and with 503 while the gateway runs its maximum of 8."
      )
    )
  )
  .middleware(Authenticated)

/** Filter and page of fills. */
export interface TradesFilter extends ListFilter {
  readonly orderId: string | undefined
  readonly orderType: OrderType | undefined
  readonly side: Side | undefined
}

/** Returns a query's filter with defaults applied. */
export const tradesFilter = (query: Schema.Struct<typeof TradesQuery>["Type"]): TradesFilter => ({
  orderId: query.exchange_order_id,
  startMillis: narrower(query.start, query.start_time, Math.max),
  endMillis: narrower(query.end, query.end_time, Math.min),
  symbol: symbolFrom(query.symbol),
  orderType: query.ordertype,
  side: query.orderdirection,
  limit: query.limit ?? defaultLimit,
  offset: query.offset ?? 0
})

/** Converts a fill to its wire format. */
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

/** CSV file of fills. */
export const tradesFile: Csv.File<UserTrade> = {
  name: "trades.csv",
  columns: [
    "id",
    "order_timestamp",
    "symbol",
    "side",
    "price",
    "quantity",
    "fee",
    "realised_pnl_change",
    "margin_used",
    "order_type",
    "tif",
    "order_id",
    "order_origin",
    "liquidation",
    "execution_type"
  ],
  cells: ({ lotE8, tickE8 }, trade) => [
    Csv.text(trade.tradeId),
    Csv.moment(trade.atMillis),
    Csv.text(trade.symbol),
    trade.side,
    Digits.units(trade.price * tickE8),
    Digits.units(trade.quantity * lotE8),
    Digits.money(trade.fee),
    Digits.money(trade.realised),
    Digits.money(trade.marginUsed),
    trade.orderType,
    trade.timeInForce,
    Csv.text(trade.orderId),
    trade.origin,
    trade.liquidation,
    trade.executionType
  ]
}

const narrower = (
  first: number | undefined,
  second: number | undefined,
  choose: (first: number, second: number) => number
): number | undefined => (first === undefined ? second : second === undefined ? first : choose(first, second))
