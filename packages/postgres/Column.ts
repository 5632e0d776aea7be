/** A column has a type in Postgres, and a schema of what the code sees. */
import { PgTypes } from "@effect/sql-pg"
import { Schema } from "effect"

/** What the code sees becomes a parameter as its type says; what is selected is decoded by the schema. */
export interface Column<out A> {
  readonly type: keyof typeof types
  readonly schema: Schema.Decoder<A>
  /** It is the name in the database, where that does not follow from the field's. */
  readonly name?: string
}

/** Makes a column of fewer values than its type has, such as a text that is one of a few. */
export const of = <A>(type: Column<A>["type"], schema: Schema.Decoder<A>): Column<A> => ({ type, schema })

export const orNull = <A>(column: Column<A>): Column<A | null> => ({ ...column, schema: Schema.NullOr(column.schema) })

export const named = <A>(name: string, column: Column<A>): Column<A> => ({ ...column, name })

/** Postgres has no zero character in a text; what a client wrote must not stop a projection or fail a read. */
export const storable = (value: string): string => (value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value)

/** JSON can write what no text of Postgres holds: the zero character, and half of a character of two. */
const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, part) => (typeof part === "string" ? storable(part.toWellFormed()) : part))

const asIs = (column: string): string => column
const asDouble = (column: string): string => `${column}::float8`

/**
 * Each type of Postgres has the OID that an array of it is made with (0 where no insert of many rows needs one), a
 * conversion to a parameter, and an expression to select it by. Integers are below 2^53, so a double carries them.
 */
export const types = {
  text: { oid: PgTypes.OID.text, convert: storable, select: asIs },
  bigint: { oid: PgTypes.OID.int8, convert: (value: number | bigint) => BigInt(value), select: asDouble },
  /** It has any number of digits, and the code sees a bigint. */
  numeric: {
    oid: PgTypes.OID.numeric,
    convert: (value: bigint) => `${value}`,
    select: (name: string) => `${name}::text`
  },
  integer: { oid: PgTypes.OID.int4, convert: (value: number) => value, select: asIs },
  float8: { oid: PgTypes.OID.float8, convert: (value: number) => value, select: asIs },
  boolean: { oid: PgTypes.OID.bool, convert: (value: boolean) => value, select: asIs },
  bytea: { oid: PgTypes.OID.bytea, convert: (value: Uint8Array) => value, select: asIs },
  /** The code sees whole Unix milliseconds. */
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
