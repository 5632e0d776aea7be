/** Trades are stored as an account sees them: each has a row for each side. */
import { AccountId } from "@venue/domain/AccountId"
import { ExecutionType, executionTypeOf, Liquidation, liquidationOf } from "@venue/domain/Execution"
import type { Traded } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { OrderOrigin, OrderType, Side, TimeInForce } from "@venue/domain/Order"
import { UserId } from "@venue/domain/UserId"
import { bigint, of, storable, text } from "@venue/postgres/Column"
import { pageOf } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import * as ReadTable from "./ReadTable.ts"

/** Prices count ticks, quantities count lots, and money counts 1e-6 USD. */
const tradeTable = Table.make("trade", {
  symbol: of("text", MarketSymbol),
  /** It counts from 1 within the market. */
  number: bigint,
  side: of("text", Side),
  aggressorSide: of("text", Side),
  tradeId: text,
  accountId: of("text", AccountId),
  userId: of("text", UserId),
  orderId: text,
  clientOrderId: text,
  price: bigint,
  quantity: bigint,
  orderPrice: bigint,
  /** The order had as much left after this fill. */
  remaining: bigint,
  fee: bigint,
  realised: bigint,
  marginUsed: bigint,
  orderType: of("text", OrderType),
  timeInForce: of("text", TimeInForce),
  origin: of("text", OrderOrigin),
  builderCode: text,
  liquidation: of("text", Liquidation),
  executionType: of("text", ExecutionType),
  atMillis: bigint
})
export type TradeRow = Table.Row<typeof tradeTable>

export const trades = ReadTable.make(tradeTable, {
  key: ({ number, side, symbol }) => `${symbol} ${number} ${side}`,
  maxInMemory: 100_000
})

export interface TradeQuery {
  readonly accountId: AccountId
  readonly symbol?: MarketSymbol | undefined
  readonly orderId?: string | undefined
  readonly orderType?: OrderType | undefined
  readonly side?: Side | undefined
  /** The trade happened then or later. */
  readonly startMillis?: number | undefined
  /** The trade happened earlier. */
  readonly endMillis?: number | undefined
  readonly limit: number
  readonly offset: number
}

export const rowsOf = (symbol: MarketSymbol, trade: Traded): ReadonlyArray<TradeRow> => [
  rowOf(symbol, trade, "taker"),
  rowOf(symbol, trade, "maker")
]

const rowOf = (symbol: MarketSymbol, trade: Traded, role: "maker" | "taker"): TradeRow => {
  const { fee, marginUsed, order, realised } = trade[role]
  return {
    symbol,
    number: trade.number,
    tradeId: trade.tradeId.text,
    side: order.side,
    aggressorSide: trade.taker.order.side,
    accountId: order.accountId,
    userId: order.userId,
    orderId: order.orderId.text,
    clientOrderId: order.clientOrderId,
    price: trade.priceTicks,
    quantity: trade.quantityLots,
    orderPrice: order.priceTicks,
    remaining: order.remainingLots,
    fee,
    realised,
    marginUsed,
    orderType: order.type,
    timeInForce: order.timeInForce,
    origin: order.origin,
    builderCode: order.builderCode,
    liquidation: liquidationOf(trade.offBook, order),
    executionType: executionTypeOf(trade.offBook, order),
    atMillis: trade.atMillis
  }
}

/** The newest come first. */
export const page = (query: TradeQuery): ReadTable.ReadQuery<ReadonlyArray<TradeRow>> => ({
  sql: (sql) => {
    const { limit, offset } = pageOf(query)
    const wanted = [sql`account_id = ${storable(query.accountId)}`]
    if (query.symbol !== undefined) wanted.push(sql`symbol = ${storable(query.symbol)}`)
    if (query.orderId !== undefined) wanted.push(sql`order_id = ${storable(query.orderId)}`)
    if (query.orderType !== undefined) wanted.push(sql`order_type = ${query.orderType}`)
    if (query.side !== undefined) wanted.push(sql`side = ${query.side}`)
    if (query.startMillis !== undefined) wanted.push(sql`at_millis >= ${query.startMillis}`)
    if (query.endMillis !== undefined) wanted.push(sql`at_millis < ${query.endMillis}`)
    return tradeTable.all(
      sql`
        select ${tradeTable.columns} from trade where ${sql.and(wanted)}
        order by at_millis desc, symbol, trade.number desc
        limit ${limit} offset ${offset}`.unprepared
    )
  },
  memory: (memory) => {
    const { limit, offset } = pageOf(query)
    return trades
      .rowsIn(memory)
      .filter(
        (row) =>
          row.accountId === query.accountId &&
          (query.symbol === undefined || row.symbol === query.symbol) &&
          (query.orderId === undefined || row.orderId === query.orderId) &&
          (query.orderType === undefined || row.orderType === query.orderType) &&
          (query.side === undefined || row.side === query.side) &&
          (query.startMillis === undefined || row.atMillis >= query.startMillis) &&
          (query.endMillis === undefined || row.atMillis < query.endMillis)
      )
      .sort(
        (a, b) => b.atMillis - a.atMillis || (a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : b.number - a.number)
      )
      .slice(offset, offset + limit)
  }
})
