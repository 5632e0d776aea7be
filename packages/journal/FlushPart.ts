/** Parts of the flush statement: changes to other tables that commit together with their journal rows. */
import * as ArrayRows from "@venue/postgres/ArrayRows"
import type { Alongside } from "./JournalStream.ts"

/** A change and the key of the journal row with which it commits. */
export interface Ride<out Change = Alongside> {
  readonly rowKey: string
  readonly change: Change
}

export interface FlushPart {
  /** Number of parameters. */
  readonly width: number
  /** Returns the part as a common table expression whose parameters are numbered from `first`. */
  readonly text: (first: number) => string
  readonly parameters: (rides: ReadonlyArray<Ride>) => ReadonlyArray<ReadonlyArray<unknown>>
}

/** Keys of the accepted journal rows, as SQL; `won` is the common table expression that inserts the rows. */
const accepted = "(select array_agg(won.epoch || ' ' || won.stream) from won)::text[]"

/** Makes the part for one kind of change. `sql` builds its statement from a `from` item with the accepted changes. */
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
