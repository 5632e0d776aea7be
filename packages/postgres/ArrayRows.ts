/** Rows of a statement as parameters: one array per column, numbered in the order of the columns. */

/** What the driver takes as a parameter of each type. */
interface ParameterTypes {
  readonly text: string
  readonly bigint: bigint
  readonly integer: number
  /** Decimal text. */
  readonly numeric: string
  readonly bytea: Uint8Array
  readonly timestamptz: Date
  /** JSON text. */
  readonly jsonb: string
}

/** A column's name in the statement, its type, and its parameter for a row. */
export type ArrayColumn<Row> = {
  readonly [T in keyof ParameterTypes]: readonly [name: string, type: T, value: (row: Row) => ParameterTypes[T]]
}[keyof ParameterTypes]

export interface ArrayRows<Row> {
  /** Number of parameters. */
  readonly width: number
  /** Returns the rows as a `from` item with this alias; its parameters count from `first`. */
  readonly from: (alias: string, first?: number) => string
  /** Returns a single row as a `from` item, with one plain parameter per column. */
  readonly fromOne: (alias: string) => string
  readonly parameters: (rows: ReadonlyArray<Row>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly parametersOfOne: (row: Row) => ReadonlyArray<unknown>
}

/** Adding a column is one line here; text and parameters follow from it. */
export const make = <Row>(columns: ReadonlyArray<ArrayColumn<Row>>): ArrayRows<Row> => {
  const names = columns.map(([name]) => name).join(", ")
  const values = columns.map(([, , value]): ((row: Row) => unknown) => value)
  const list = (first: number, suffix: string) =>
    columns.map(([, type], index) => `$${first + index}::${type}${suffix}`).join(", ")
  return {
    width: columns.length,
    from: (alias, first = 1) => `unnest(${list(first, "[]")}) as ${alias} (${names})`,
    fromOne: (alias) => `(select ${list(1, "")}) as ${alias} (${names})`,
    parameters: (rows) => values.map((value) => rows.map((row) => value(row))),
    parametersOfOne: (row) => values.map((value) => value(row))
  }
}
