/** Columns of tables: each has a Postgres type and the schema of the decoded value. */
import { PgTypes } from "@effect/sql-pg"
import { Schema } from "effect"

/** A column. Values are written as parameters of the Postgres type, and decoded with the schema when read. */
export interface Column<out A> {
  readonly type: keyof typeof types
  readonly schema: Schema.Decoder<A>
  /** Name in the database, if it differs from the field's name in snake case. */
  readonly name?: string
}

/** Makes a column whose schema restricts the values of its type, for example to a few literals. */
export const of = <A>(type: Column<A>["type"], schema: Schema.Decoder<A>): Column<A> => ({ type, schema })

export const orNull = <A>(column: Column<A>): Column<A | null> => ({ ...column, schema: Schema.NullOr(column.schema) })

export const named = <A>(name: string, column: Column<A>): Column<A> => ({ ...column, name })

/** Replaces NUL characters, which Postgres text cannot hold, because text from a client must never fail a write. */
export const storable = (value: string): string => (value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value)

/** Encodes JSON that Postgres accepts: without NUL characters or lone surrogates. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "string" ? storable(part.toWellFormed()) : part))

const asIs = (column: string): string => column
const asDouble = (column: string): string => `${column}::float8`

/**
 * Postgres types, each with its OID for arrays (0 if no bulk insert uses the type), the conversion to a parameter,
 * and the SQL expression that selects a column. Integers are below 2^53, so a double holds them exactly.
 */
export const types = {
  text: { oid: PgTypes.OID.text, convert: storable, select: asIs },
  bigint: { oid: PgTypes.OID.int8, convert: (value: number | bigint) => BigInt(value), select: asDouble },
  /** Whole numbers of any size, decoded as bigint. */
  numeric: {
    oid: PgTypes.OID.numeric,
    convert: (value: bigint) => `${value}`,
    select: (name: string) => `${name}::text`
  },
  integer: { oid: PgTypes.OID.int4, convert: (value: number) => value, select: asIs },
  float8: { oid: PgTypes.OID.float8, convert: (value: number) => value, select: asIs },
  boolean: { oid: PgTypes.OID.bool, convert: (value: boolean) => value, select: asIs },
  bytea: { oid: PgTypes.OID.bytea, convert: (value: Uint8Array) => value, select: asIs },
  /** Times in whole Unix milliseconds. */
  timestamptz: {
    oid: PgTypes.OID.timestamptz,
    convert: (value: number) => new Date(value),
    select: (name: string) => `round(extract(epoch from ${name}) * 1000)::float8`
  },
  "text[]": { oid: 0, convert: (value: ReadonlyArray<string>) => value.map(storable), select: asIs },
  jsonb: { oid: 0, convert: storableJson, select: asIs }
}

export const text = of("text", Schema.String)
export const bigint = of("bigint", Schema.Number)
export const numeric = of("numeric", Schema.BigIntFromString)
export const integer = of("integer", Schema.Number)
export const float8 = of("float8", Schema.Number)
export const boolean = of("boolean", Schema.Boolean)
export const bytea = of("bytea", Schema.Uint8Array)
export const timestamptz = of("timestamptz", Schema.Number)
export const textArray = of("text[]", Schema.Array(Schema.String))
