/** Parts of the flush statement: changes to other tables that commit together with their journal rows. */
import * as ArrayRows from "@venue/postgres/ArrayRows"
import type { Alongside } from "./JournalStream.ts"

/** A change, with the key of the journal row that commits together with it. */
export interface Ride<out Change = Alongside> {
  readonly rowKey: string
  readonly change: Change
}

export interface FlushPart {
  /** Number of the part's parameters. */
  readonly width: number
  /** Returns the part as a common table expression whose parameters are numbered from `first`. */
  readonly text: (first: number) => string
  readonly parameters: (rides: ReadonlyArray<Ride>) => ReadonlyArray<ReadonlyArray<unknown>>
}

/**
 * SQL expression for the keys of the accepted journal rows; `won` is the common table expression that inserts the
 * rows.
 */
const accepted = "(select array_agg(won.epoch || ' ' || won.stream) from won)::text[]"

/**
 * Makes the part for all changes of one kind. `sql` receives a `from` item with the columns of those changes whose
 * journal row was accepted, and returns the statement.
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

/** Makes a part without parameters that reads the rows returned by another part. */
export const derived = (name: string, sql: string): FlushPart => ({
  width: 0,
  text: () => `${name} as (${sql})`,
  parameters: () => []
})
