/** TWAPs that have ended, with what they filled. */
import { AccountId } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Side } from "@venue/domain/Order"
import { statusAfter, type TwapClosed, TwapEnding, TwapId } from "@venue/domain/Twap"
import { UserId } from "@venue/domain/UserId"
import { bigint, boolean, of, storable, text } from "@venue/postgres/Column"
import { pageOf } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import { Schema } from "effect"
import type { MarketProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"

/** Prices count ticks, quantities count lots, and money counts 1e-6 USD. */
const twapTable = Table.make("twap", {
  twapId: of("text", TwapId),
  endedAtMillis: bigint,
  accountId: of("text", AccountId),
  userId: of("text", UserId),
  symbol: of("text", MarketSymbol),
  status: of("text", Schema.Literals(["COMPLETED", "CANCELLED"])),
  ending: of("text", TwapEnding),
  /** Empty when the client gave none. */
  clientTwapId: text,
  side: of("text", Side),
  totalQuantity: bigint,
  filledQuantity: bigint,
  /** What was filled is worth this. */
  filledValue: bigint,
  /** 0 for none. */
  worstPrice: bigint,
  slices: bigint,
  filledSlices: bigint,
  intervalMillis: bigint,
  reduceOnly: boolean,
  startAtMillis: bigint,
  createdAtMillis: bigint
})
export type EndedTwap = Table.Row<typeof twapTable>

/** One that its market closed while nobody had its trader is closed a second time, empty: the first is what was. */
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

export interface TwapQuery {
  readonly accountId: AccountId
  readonly symbol?: MarketSymbol | undefined
  readonly limit: number
  readonly offset: number
}

/** The newest come first. */
export const page = (query: TwapQuery): ReadTable.ReadQuery<ReadonlyArray<EndedTwap>> => ({
  sql: (sql) => {
    const { limit, offset } = pageOf(query)
    const wanted = [sql`account_id = ${storable(query.accountId)}`]
    if (query.symbol !== undefined) wanted.push(sql`symbol = ${storable(query.symbol)}`)
    return twapTable.all(
      sql`
        select ${twapTable.columns} from twap where ${sql.and(wanted)}
        order by ended_at_millis desc, twap_id limit ${limit} offset ${offset}`.unprepared
    )
  },
  memory: (memory) => {
    const { limit, offset } = pageOf(query)
    return twaps
      .rowsIn(memory)
      .filter(
        ({ accountId, symbol }) =>
          accountId === query.accountId && (query.symbol === undefined || symbol === query.symbol)
      )
      .sort((a, b) => b.endedAtMillis - a.endedAtMillis || (a.twapId < b.twapId ? -1 : 1))
      .slice(offset, offset + limit)
  }
})
