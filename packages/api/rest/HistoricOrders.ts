/** `GET /user/historic-orders`: an account's ended orders, newest first. `GET /historic-orders-csv`: all as a file. */
import { type Instrument, priceOf, quantityOf } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { averagePrice } from "../AveragePrice.ts"
import { Moment, Rows, SchemaLink, SymbolName } from "../Body.ts"
import * as Csv from "../Csv.ts"
import * as Digits from "../Digits.ts"
import { described, Optional } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "./Caller.ts"
import { csvAnswer } from "./CsvFile.ts"
import {
  defaultLimit,
  limitQuery,
  type ListFilter,
  ListCount,
  listParameters,
  offsetQuery,
  rangeQuery,
  symbolFrom,
  symbolQuery
} from "./ListPage.ts"
import { operation } from "../Operation.ts"

const ExecutionState = Schema.Literals(["UNFILLED", "PARTIALLY_FILLED", "FILLED"])

/** Order that is no longer open. */
export const HistoricOrder = Schema.Struct({
  $schema: SchemaLink,
  order_id: Schema.String.annotate({ description: "Order id." }),
  terminal_status: Schema.String.annotate({ description: "Final status of the order." }),
  status_ts: Moment.annotate({ description: "Time at which the order ended, ISO 8601 in UTC." }),
  symbol: SymbolName,
  side: Schema.String.annotate({ description: "Order side: `BUY` or `SELL`." }),
  type: Schema.String.annotate({ description: "Order type." }),
  time_in_force: Schema.String.annotate({ description: "Time in force of the order: `GTC`, `IOC` or `FOK`." }),
  quantity: Schema.Finite.annotate({ description: "Order quantity, in base units." }),
  price: Schema.Finite.annotate({ description: "Limit price, in USD per base unit; 0 for MARKET." }),
  client_order_id: Schema.String.annotate({ description: "Client order id; empty if not set." }),
  passive_qty: Schema.Finite.annotate({ description: "Quantity filled as maker, in base units." }),
  filled_qty: Schema.Finite.annotate({ description: "Quantity filled, in base units." }),
  avg_price: Schema.NullOr(Schema.Finite).annotate({
    description: "Average price of the fills, in USD per base unit; null if nothing was filled."
  }),
  first_fill_ts: Schema.NullOr(Moment).annotate({
    description: "Time of the first fill, ISO 8601 in UTC; null if nothing was filled."
  }),
  last_fill_ts: Schema.NullOr(Moment).annotate({
    description: "Time of the last fill, ISO 8601 in UTC; null if nothing was filled."
  }),
  execution_state: ExecutionState.annotate({
    description: "Whether the order was filled completely, partly or not at all."
  })
}).annotate({ identifier: "HistoricOrder", description: "Order that has ended." })
export type HistoricOrder = typeof HistoricOrder.Type

/** Response body of `GET /user/historic-orders`. */
export const HistoricOrdersResponseBody = Schema.Struct({
  $schema: SchemaLink,
  data: Rows(HistoricOrder).annotate({ description: "Ended orders, newest first." }),
  count: ListCount
}).annotate({ identifier: "HistoricOrdersResponseBody" })

const HistoricOrdersQuery = {
  ...symbolQuery,
  client_order_id: Optional(Schema.String),
  ...rangeQuery,
  ...limitQuery,
  ...offsetQuery
}

export const HistoricOrdersGroup = HttpApiGroup.make("historicOrders")
  .add(
    HttpApiEndpoint.get("historicOrders", "/user/historic-orders", {
      query: HistoricOrdersQuery,
      success: HistoricOrdersResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List ended orders",
          "Returns the orders of an account that have ended, newest first, filtered by time, symbol and client " +
            "order id. Refused with 400 for an unknown symbol, a range that ends before it starts or an offset that " +
            "is too large, and with 422 for an invalid value."
        )
      )
      .annotate(OpenApi.Transform, described(listParameters)),
    HttpApiEndpoint.get("historicOrdersCsv", "/historic-orders-csv", csvAnswer).annotateMerge(
      operation(
        "Download ended orders",
        "Returns all ended orders of an account as one CSV file with a header line. Refused with 429 while two " +
          "other downloads of the user are running, and with 503 while the gateway runs its maximum of 8."
      )
    )
  )
  .middleware(Authenticated)

/** Filter and page of ended orders. */
export interface HistoricOrdersFilter extends ListFilter {
  readonly clientOrderId: string | undefined
}

/** Returns a query's filter with defaults applied. */
export const historicOrdersFilter = (
  query: Schema.Struct<typeof HistoricOrdersQuery>["Type"]
): HistoricOrdersFilter => ({
  symbol: symbolFrom(query.symbol),
  clientOrderId: query.client_order_id,
  startMillis: query.start,
  endMillis: query.end,
  limit: query.limit ?? defaultLimit,
  offset: query.offset ?? 0
})

/** Ended order: prices in ticks, quantities in lots. */
export interface UserOrder {
  readonly orderId: string
  readonly status: string
  readonly endedAtMillis: number
  readonly symbol: MarketSymbol
  readonly side: Side
  readonly orderType: OrderType
  readonly timeInForce: TimeInForce
  readonly clientOrderId: string
  readonly price: number
  readonly quantity: number
  /** Price in the request of a refused order, in USD per base unit; null for an accepted order. */
  readonly askedPrice: number | null
  /** Quantity in the request of a refused order, in base units; null for an accepted order. */
  readonly askedQuantity: number | null
  readonly passiveQuantity: number
  readonly filledQuantity: number
  /** Sum of price times quantity over all fills, in ticks times lots. */
  readonly filledCost: bigint
  /** Null if the order has no fill. */
  readonly firstFillAtMillis: number | null
  /** Null if the order has no fill. */
  readonly lastFillAtMillis: number | null
}

/** Converts an ended order to its wire format. */
export const historicOrder = (instrument: Instrument, order: UserOrder): HistoricOrder => ({
  order_id: order.orderId,
  terminal_status: order.status,
  status_ts: Digits.instant(order.endedAtMillis),
  symbol: order.symbol,
  side: order.side,
  type: order.orderType,
  time_in_force: order.timeInForce,
  quantity: requestedQuantityOf(instrument, order),
  price: requestedPriceOf(instrument, order),
  client_order_id: order.clientOrderId,
  passive_qty: quantityOf(instrument, order.passiveQuantity),
  filled_qty: quantityOf(instrument, order.filledQuantity),
  avg_price: order.filledQuantity === 0 ? null : Number(averageOf(instrument, order)),
  first_fill_ts: instantOrNull(order.firstFillAtMillis),
  last_fill_ts: instantOrNull(order.lastFillAtMillis),
  execution_state: executionState(order)
})

/** CSV file of ended orders. */
export const historicOrdersFile: Csv.File<UserOrder> = {
  name: "historic-orders.csv",
  columns: Object.keys(HistoricOrder.fields).filter((name) => name !== "$schema"),
  cells: (instrument, order) => [
    Csv.text(order.orderId),
    order.status,
    Csv.moment(order.endedAtMillis),
    Csv.text(order.symbol),
    order.side,
    order.orderType,
    order.timeInForce,
    Digits.plain(requestedQuantityOf(instrument, order)),
    Digits.plain(requestedPriceOf(instrument, order)),
    Csv.text(order.clientOrderId),
    Digits.units(order.passiveQuantity * instrument.lotE8),
    Digits.units(order.filledQuantity * instrument.lotE8),
    order.filledQuantity === 0 ? "" : averageOf(instrument, order),
    Csv.moment(order.firstFillAtMillis),
    Csv.moment(order.lastFillAtMillis),
    executionState(order)
  ]
}

const requestedQuantityOf = (instrument: Instrument, { askedQuantity, quantity }: UserOrder): number =>
  askedQuantity ?? quantityOf(instrument, quantity)

/** Returns the limit price, or 0 for a MARKET order, whose price is ignored. */
const requestedPriceOf = (instrument: Instrument, { askedPrice, orderType, price }: UserOrder): number =>
  orderType === "MARKET" ? 0 : (askedPrice ?? priceOf(instrument, price))

const averageOf = (instrument: Instrument, { filledCost, filledQuantity }: UserOrder): string =>
  averagePrice(instrument, {
    basis: Number(filledCost * BigInt(instrument.tickLotMicros)),
    quantityLots: filledQuantity
  })

const executionState = ({ filledQuantity, status }: UserOrder): HistoricOrder["execution_state"] =>
  filledQuantity === 0 ? "UNFILLED" : status === "FILLED" ? "FILLED" : "PARTIALLY_FILLED"

const instantOrNull = (millis: number | null): string | null => (millis === null ? null : Digits.instant(millis))
