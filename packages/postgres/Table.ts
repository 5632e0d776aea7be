/** Tables: inserts, selects and decoding are all derived from one list of columns. */
import { PgTypes } from "@effect/sql-pg"
import { Effect, Option, Record, Result, Schema, String as Text } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import { type Column, types } from "./Column.ts"

type Columns = Readonly<Record<string, Column<unknown>>>
type RowOf<C extends Columns> = { readonly [Field in keyof C]: C[Field] extends Column<infer A> ? A : never }
export type Row<S> = S extends Selection<infer R> ? R : never

type Rows = Effect.Effect<ReadonlyArray<object>, SqlError>

/** The columns that a statement returns, and the decoder for its rows. */
export interface Selection<Row> {
  readonly schema: Schema.Decoder<Row>
  /**
   * Column list for `select` or `returning`. Columns are qualified with the table's name, so the statement must not
   * give the table an alias.
   */
  readonly columns: Statement.Fragment
  /** Decodes all rows. A row that does not match the schema is a defect. */
  readonly all: (statement: Rows) => Effect.Effect<ReadonlyArray<Row>, SqlError>
  readonly first: (statement: Rows) => Effect.Effect<Option.Option<Row>, SqlError>
}

/** Rows that one statement inserts. */
export interface Batch {
  readonly rows: number
  /**
   * Returns an insert of the rows from index `start` to `end`, exclusive. Can be followed by a `where` clause and
   * then by `conflict`.
   */
  readonly insert: (start: number, end: number) => Statement.Fragment
  readonly conflict: Statement.Fragment
}

export interface Table<Row> extends Selection<Row> {
  readonly name: string
  /** Returns a column's name in the database. */
  readonly nameOf: (field: keyof Row) => string
  /** Converts a column's value to a statement parameter. */
  readonly parameter: (field: keyof Row, value: unknown) => unknown
  /** The columns' names in the database. */
  readonly names: ReadonlyArray<string>
  readonly pick: <Field extends keyof Row>(...fields: ReadonlyArray<Field>) => Selection<Pick<Row, Field>>
  /** Returns a selection of all columns and the given computed columns. */
  readonly with: <More>(more: { readonly [Field in keyof More]: Computed<More[Field]> }) => Selection<Row & More>
  /** Returns the column list and values for `insert into <table>`; an omitted column gets its default value. */
  readonly values: (row: Partial<Row>) => Statement.RecordInsertHelper
  /** Returns the assignments for a `set` clause. */
  readonly set: (change: Partial<Row>) => Statement.RecordUpdateHelperSingle
  readonly batch: (rows: ReadonlyArray<Row>, conflict?: string) => Batch
}

/** A computed column: an SQL expression and its value's schema. */
export interface Computed<out A> {
  readonly schema: Schema.Decoder<A>
  readonly expression: string
}

/** Makes a selection of computed columns only. */
export const selection: <Row>(fields: { readonly [Field in keyof Row]: Computed<Row[Field]> }) => Selection<Row> = (
  fields
) => selectionOf(fields)

export const make = <C extends Columns>(name: string, columns: C): Table<RowOf<C>> => {
  type Row = RowOf<C>
  const all = Object.entries(columns).map(([field, column]) => ({ field, ...column, name: nameOf(field, column) }))
  const computed = (fields: ReadonlyArray<(typeof all)[number]>) =>
    Object.fromEntries(
      fields.map(({ field, name: column, schema, type }) => [
        field,
        { schema, expression: types[type].select(`${name}.${column}`) }
      ])
    )
  const record = (row: Partial<Row>) =>
    Object.fromEntries(
      all
        .filter(({ field }) => row[field] !== undefined)
        .map(({ field, name, type }) => [name, parameter(type, row[field])])
    )
  const names = all.map((column) => column.name)

  return {
    ...selectionOf<Row>(computed(all)),
    name,
    names,
    nameOf: (field) => nameOf(String(field), columns[field]!),
    parameter: (field, value) => parameter(columns[field]!.type, value),
    pick: (...fields) => selectionOf(computed(all.filter(({ field }) => fields.some((wanted) => wanted === field)))),
    with: (more) => selectionOf({ ...computed(all), ...more }),
    values: (row) => Statement.recordInsertHelper([record(row)]),
    set: (change) => Statement.recordUpdateHelperSingle(record(change), []),
    batch: (rows, conflict = "") => ({
      rows: rows.length,
      conflict: fragment(conflict),
      insert: (start, end) => {
        const page = start === 0 && end >= rows.length ? rows : rows.slice(start, end)
        const arrays = all.map(({ field, type }) => {
          const { convert, oid } = types[type]
          const values = page.map((row) => {
            const value = row[field]
            return value === null ? null : convert(value as never)
          })
          return Statement.fragment([
            Statement.parameter(Result.getOrThrow(PgTypes.array(values, oid))),
            Statement.literal(`::${type}[]`)
          ])
        })
        return Statement.fragment([
          Statement.literal(`insert into ${name} (${names.join(", ")}) select u.* from unnest(`),
          ...Statement.csv(arrays).segments,
          Statement.literal(") u")
        ])
      }
    })
  }
}

/** Omits the suffix `Millis` from the names of times, because the database has one type for all times. */
const nameOf = (field: string, { name, type }: Column<unknown>): string =>
  name ?? Text.camelToSnake(type === "timestamptz" ? field.replace(/Millis$/, "") : field)

const parameter = (type: Column<unknown>["type"], value: unknown): unknown =>
  value === null ? null : types[type].convert(value as never)

const selectionOf = <Row>(fields: Readonly<Record<string, Computed<unknown>>>): Selection<Row> => {
  const expressions = Object.entries(fields).map(([field, { expression }]) => `${expression} as "${field}"`)
  const row: Schema.Decoder<unknown> = Schema.Struct(Record.map(fields, ({ schema }) => schema))
  const schema = row as Schema.Decoder<Row>
  const decode = Schema.decodeUnknownSync(Schema.Array(schema))
  return {
    schema,
    columns: fragment(expressions.join(", ")),
    all: (statement) => Effect.map(statement, decode),
    first: (statement) => Effect.map(statement, (rows) => Option.fromIterable(decode(rows)))
  }
}

const fragment = (text: string) => Statement.fragment([Statement.literal(text)])
