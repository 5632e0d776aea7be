/** A symbol's hourly funding rates, in 1e-12 of a position's value at mark. Longs pay positive rates (rule 10). */
import { marketStream } from "@venue/domain/Market"
import { minuteOf } from "@venue/domain/Minute"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { bigint, boolean, integer, of } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import { Schema } from "effect"
import type { MarketProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"
import * as Windows from "./Windows.ts"

const fundingTable = Table.make("funding_hour", {
  symbol: of("text", MarketSymbol),
  /** Minute at whose start the funding hour ended. */
  minute: integer,
  rateE12: bigint,
  /** True if no funding was paid for this hour (rule 10.6). */
  skipped: boolean
})
export type FundingHour = Table.Row<typeof fundingTable>

const fundingHours = ReadTable.make(fundingTable, { key: ({ minute, symbol }) => `${symbol} ${minute}` })

export const projection: MarketProjection = {
  group: "funding",
  stream: marketStream,
  writes: (symbol, rows) => [
    fundingHours.write(
      rows.flatMap(({ events }) =>
        events.flatMap((event) => {
          if (event._tag !== "Funded") return []
          const { atMillis, rateE12, skipped } = event
          return [{ symbol, minute: minuteOf(atMillis), rateE12, skipped }]
        })
      )
    )
  ]
}

const known = fundingTable.with<{ readonly startMinute: number }>({
  startMinute: { schema: Schema.Number, expression: "w.start" }
})
/** Rate of the last funding hour that had ended when a window began. */
export type KnownFunding = Table.Row<typeof known>

/** Returns the rates, earliest first; omits windows without a new rate. */
export const lastOf = (windows: Windows.Windows): ReadTable.ReadQuery<ReadonlyArray<KnownFunding>> => ({
  sql: (sql) =>
    known.all(
      sql`
      select ${known.columns} from (${Windows.lastKnown(sql, "funding_hour", windows, "within")}) w
      join funding_hour on funding_hour.symbol = ${windows.symbol} and funding_hour.minute = w.minute
      order by w.start`.unprepared
    ),
  memory: (memory) => Windows.lastKnownOf(fundingHours.rowsIn(memory), windows, "within")
})
