/** Parts of the flush statement: changes of other tables that commit together with the journal rows they belong to. */
import * as ArrayRows from "@venue/postgres/ArrayRows"
import type { Alongside } from "./JournalStream.ts"

/** A change with the key of the journal row that it commits with. */
export interface Ride<out Change = Alongside> {
  readonly rowKey: string
  readonly change: Change
}

export interface FlushPart {
  /** Number of parameters. */
  readonly width: number
  /** Returns the part as a common table expression; its parameters count from `first`. */
  readonly text: (first: number) => string
  readonly parameters: (rides: ReadonlyArray<Ride>) => ReadonlyArray<ReadonlyArray<unknown>>
}

/** Keys of the accepted journal rows; `won` is the expression that inserts them. */
const accepted = "(select array_agg(won.epoch || ' ' || won.stream) from won)::text[]"

/**
 * Makes a part of all changes of one kind. `sql` returns the statement over its `from` item, which holds the columns of the
 * changes whose journal row was accepted.
 */
export const make = <Change extends Alongside>(options: {
  readonly name: string
  readonly includes: (change: Alongside) => change is Change
  readonly columns: ReadonlyArray<ArrayRows.ArrayColumn<Ride<Change>>>
  readonly sql: (from: string) => string
}): FlushPart => {
  const rows = ArrayRows.make<Ride<Change>>([["row_key", "text", ({ rowKey }) => rowKey], ...options.columns])
  const isIncluded = (ride: Ride): ride is Ride<Change> => options.includes(ride.change)
  return {
    width: rows.width,
    text: (first) => {
      const from = `(select * from ${rows.from("r", first)} where r.row_key = any (${accepted})) as w`
      return `${options.name} as (${options.sql(from)})`
    },
    parameters: (rides) => rows.parameters(rides.filter(isIncluded))
  }
}

/** Makes a part without parameters, which reads the rows that another part returns. */
export const derived = (name: string, sql: string): FlushPart => ({
  width: 0,
  text: () => `${name} as (${sql})`,
  parameters: () => []
})
