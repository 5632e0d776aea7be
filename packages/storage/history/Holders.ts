/**
 * Counts of users with a long and with a short position in a symbol. If the counts are unchanged at the start of a
 * minute, that minute has no row (rule 1.10).
 */
import { marketStream } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { integer, of } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { Schema } from "effect"
import type { MarketProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"
import * as Windows from "./Windows.ts"

const holdersTable = Table.make("holders_minute", {
  symbol: of("text", MarketSymbol),
  minute: integer,
  longUsers: integer,
  shortUsers: integer
})
export type HoldersMinute = Table.Row<typeof holdersTable>

const holders = ReadTable.make(holdersTable, { key: ({ minute, symbol }) => `${symbol} ${minute}` })

export const projection: MarketProjection = {
  group: "holders",
  stream: marketStream,
  writes: (symbol, rows) => [
    holders.write(
      rows.flatMap(({ events }) =>
        events.flatMap((event) => {
          if (event._tag !== "HoldersCounted") return []
          const { atMillis, longUsers, shortUsers } = event
          return [{ symbol, minute: minuteOf(atMillis), longUsers, shortUsers }]
        })
      )
    )
  ]
}

const known = holdersTable.with<{ readonly startMinute: number }>({
  startMinute: { schema: Schema.Number, expression: "w.start" }
})
/** Counts of long and short users at the start of a window. */
export type KnownHolders = Table.Row<typeof known>

/** Returns the counts, earliest first. Might omit windows without a change. */
export const atStarts = (windows: Windows.Windows): ReadTable.ReadQuery<ReadonlyArray<KnownHolders>> => ({
  sql: (sql) =>
    known.all(
      sql`
      select ${known.columns} from (${Windows.lastKnown(sql, "holders_minute", windows, "within")}) w
      join holders_minute on holders_minute.symbol = ${windows.symbol} and holders_minute.minute = w.minute
      order by w.start`.unprepared
    ),
  memory: (memory) => Windows.lastKnownOf(holders.rowsIn(memory), windows, "within")
})
