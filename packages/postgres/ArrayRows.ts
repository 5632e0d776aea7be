/** Rows as parameters of a statement: one array per column, numbered in column order. */

/** Type that the driver accepts for a parameter of each column type. */
interface ParameterTypes {
  readonly text: string
  readonly bigint: bigint
  readonly integer: number
  /** Number as decimal text. */
  readonly numeric: string
  readonly bytea: Uint8Array
  readonly timestamptz: Date
  /** JSON text. */
  readonly jsonb: string
}

/** A column's name in the statement, its type, and a function that returns its parameter for a row. */
export type ArrayColumn<Row> = {
  readonly [T in keyof ParameterTypes]: readonly [name: string, type: T, value: (row: Row) => ParameterTypes[T]]
}[keyof ParameterTypes]

export interface ArrayRows<Row> {
  /** Number of parameters, which equals the number of columns. */
  readonly width: number
  /** Returns the rows as a `from` item with the given alias; its parameters are numbered from `first`. */
  readonly from: (alias: string, first?: number) => string
  /** Returns a single row as a `from` item, with one scalar parameter per column. */
  readonly fromOne: (alias: string) => string
  readonly parameters: (rows: ReadonlyArray<Row>) => ReadonlyArray<ReadonlyArray<unknown>>
  readonly parametersOfOne: (row: Row) => ReadonlyArray<unknown>
}

/** Makes `ArrayRows` from a list of columns. A new column needs one more line in the list and no other change. */
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
