/** Ended TWAPs, with sums of their fills. */
import { AccountId } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Side } from "@venue/domain/Order"
import { statusAfter, type TwapClosed, TwapEnding, TwapId } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import { bigint, boolean, of, storable, text } from "@venue/postgres/Column"
import type { Page } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import { Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { MarketProjection } from "./Projection.ts"
import * as HistoryList from "./HistoryList.ts"
import * as ReadTable from "./ReadTable.ts"
import { rowOrder } from "./RowOrder.ts"

/** Prices in ticks, quantities in lots, money in 1e-6 USD. */
const twapTable = Table.make("twap", {
  twapId: of("text", TwapId),
  endedAtMillis: bigint,
  accountId: of("text", AccountId),
  userId: of("text", UserId),
  symbol: of("text", MarketSymbol),
  status: of("text", Schema.Literals(["COMPLETED", "CANCELLED"])),
  ending: of("text", TwapEnding),
  /** Empty unless the client set one. */
  clientTwapId: text,
  side: of("text", Side),
  totalQuantity: bigint,
  filledQuantity: bigint,
  /** Total value of the fills. */
  filledValue: bigint,
  /** Worst acceptable price in ticks, or 0 if there is no limit. */
  worstPrice: bigint,
  slices: bigint,
  filledSlices: bigint,
  intervalMillis: bigint,
  reduceOnly: boolean,
  startAtMillis: bigint,
  createdAtMillis: bigint
})
export type EndedTwap = Table.Row<typeof twapTable>

/**
 * A TWAP that its market closed while the trader was unloaded is closed a second time, without fills. The first row
 * is kept.
 */
const twaps = ReadTable.make(twapTable, {
  key: ({ twapId }) => twapId,
  merge: { rows: (before) => before, conflict: "on conflict (twap_id) do nothing" },
  maxInMemory: 100_000
})

export const projection: MarketProjection = {
  group: "twap",
  stream: marketStream,
  writes: (symbol, rows) => [
    twaps.write(
      rows.flatMap(({ events }) =>
        events.flatMap((event) => (event._tag === "TwapClosed" ? [rowOf(symbol, event)] : []))
      )
    )
  ]
}

const rowOf = (symbol: MarketSymbol, { atMillis, ending, twap }: TwapClosed): EndedTwap => ({
  twapId: twap.twapId,
  endedAtMillis: atMillis,
  accountId: twap.accountId,
  userId: twap.userId,
  symbol,
  status: statusAfter(ending),
  ending,
  clientTwapId: twap.clientTwapId,
  side: twap.side,
  totalQuantity: twap.totalLots,
  filledQuantity: twap.filledLots,
  filledValue: twap.filledValue,
  worstPrice: twap.worstTicks,
  slices: twap.slices,
  filledSlices: twap.filledSlices,
  intervalMillis: twap.intervalMillis,
  reduceOnly: twap.reduceOnly,
  startAtMillis: twap.startMillis,
  createdAtMillis: twap.createdAtMillis
})

const order = rowOrder<EndedTwap>("twap", ["endedAtMillis", "twapId"])

export interface TwapFilter {
  readonly accountId: AccountId
  readonly symbol?: MarketSymbol | undefined
}

export interface TwapQuery extends TwapFilter, Page {}

const wanted = (sql: SqlClient.SqlClient, { accountId, symbol }: TwapFilter) => {
  const ofAccount = sql`account_id = ${storable(accountId)}`
  return symbol === undefined ? ofAccount : sql.and([ofAccount, sql`symbol = ${storable(symbol)}`])
}

/** In-memory equivalent of the SQL condition `wanted`. */
const isWanted =
  ({ accountId, symbol }: TwapFilter) =>
  (row: EndedTwap): boolean =>
    row.accountId === accountId && (symbol === undefined || row.symbol === symbol)

export const { count, listing, page } = HistoryList.make<TwapFilter, EndedTwap, EndedTwap>({
  table: "twap",
  order,
  wanted,
  isWanted,
  select: (sql, { limit, orderBy, where }) =>
    twapTable.all(sql`select ${twapTable.columns} from twap where ${where} order by ${orderBy} ${limit}`.unprepared),
  rowsIn: twaps.rowsIn,
  viewsIn: (_memory, rows) => rows
})
