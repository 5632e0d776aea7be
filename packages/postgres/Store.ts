/** Simple tables with the same interface on Postgres and in memory, so that a service is written once for both. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"
import { type DatabaseUnavailable, orUnavailable } from "./DatabaseUnavailable.ts"
import { MemoryTables } from "./MemoryTables.ts"
import * as Migrations from "./Migrations.ts"
import * as Table from "./Table.ts"

/** Strength of a row lock, which is held until the end of the transaction. */
export type Lock = "share" | "no key update"

/** A condition other than equality on a column's value. Null never satisfies it. */
export class Comparison<out A> {
  readonly operator: ">" | "<=" | "any"
  readonly values: ReadonlyArray<A>
  constructor(operator: Comparison<A>["operator"], values: ReadonlyArray<A>) {
    this.operator = operator
    this.values = values
  }
}

export const above = <A>(value: A): Comparison<A> => new Comparison(">", [value])
export const atMost = <A>(value: A): Comparison<A> => new Comparison("<=", [value])
/** Matches a text column whose value is in the list. */
export const oneOf = <A extends string>(values: ReadonlyArray<A>): Comparison<A> => new Comparison("any", values)

/** Conditions that a row must satisfy together. Each is a column value, which can be null, or a comparison. */
export type Where<Row> = { readonly [Field in keyof Row]?: Row[Field] | Comparison<Row[Field]> }

type Result<A> = Effect.Effect<A, DatabaseUnavailable>

export interface Store<Row> {
  readonly transaction: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | DatabaseUnavailable, R>
  /** Returns the matching row. At most one row is allowed to match. */
  readonly find: (where: Where<Row>, lock?: Lock) => Result<Option.Option<Row>>
  /** Returns the matching rows in the store's order. */
  readonly list: (where: Where<Row>, limit?: number) => Result<ReadonlyArray<Row>>
  readonly count: (where: Where<Row>) => Result<number>
  /** Inserts a row; returns false if a row with the same key exists. */
  readonly insert: (row: Row) => Result<boolean>
  /** Inserts a row, or replaces the row with the same key. */
  readonly put: (row: Row) => Result<void>
  /** Changes the matching row and returns the new row. At most one row is allowed to match. */
  readonly update: (where: Where<Row>, change: Partial<Row>) => Result<Option.Option<Row>>
  /**
   * Locks the row with the given key and writes the row that `change` returns, which must have the same key. Writes
   * nothing if `change` returns undefined. Calls `change` twice if another transaction inserts the row first.
   */
  readonly modify: (key: Where<Row>, change: (before: Row | undefined) => Row | undefined) => Result<Option.Option<Row>>
  /** Deletes the matching rows; returns false if no row matches. */
  readonly remove: (where: Where<Row>) => Result<boolean>
}

interface Shape<Row> {
  /** Columns of the primary key or of another unique constraint. */
  readonly key: ReadonlyArray<keyof Row>
  /** Order of lists, the most significant column first; ascending by key if omitted. */
  readonly order?: { readonly [Field in keyof Row]?: "asc" | "desc" }
}

export class Stores extends Context.Service<
  Stores,
  { readonly make: <Row extends object>(table: Table.Table<Row>, shape: Shape<Row>) => Store<Row> }
>()("@venue/postgres/Stores") {
  static readonly layer: Layer.Layer<Stores, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Stores,
    Effect.map(SqlClient.SqlClient, (sql) => Stores.of({ make: (table, shape) => onSql(sql, table, shape) }))
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Stores> = Layer.effect(
    Stores,
    Effect.map(MemoryTables, (tables) => Stores.of({ make: (_, shape) => inMemory(tables, shape) }))
  ).pipe(Layer.provide(MemoryTables.layer))
}

export const make = <Row extends object>(table: Table.Table<Row>, shape: Shape<Row>) =>
  Effect.map(Stores, (stores) => stores.make(table, shape))

/** Returns a service's Postgres layer. `make` is called lazily, so that it can be defined below the class. */
export const layer = <I, S, R>(service: Context.Key<I, S>, make: () => Effect.Effect<S, never, R>) =>
  Layer.effect(service, Effect.suspend(make)).pipe(Layer.provide(Stores.layer))

/** Returns a service's in-memory layer. */
export const layerMemory = <I, S, R>(service: Context.Key<I, S>, make: () => Effect.Effect<S, never, R>) =>
  Layer.effect(service, Effect.suspend(make)).pipe(Layer.provide(Stores.layerMemory))

const counts = Table.selection({ count: { schema: Schema.Number, expression: "count(*)::float8" } })

const onSql = <Row extends object>(
  sql: SqlClient.SqlClient,
  table: Table.Table<Row>,
  shape: Shape<Row>
): Store<Row> => {
  const { find, insert, list, ...statements } = statementsOf(sql, table, shape)
  const update = (where: Where<Row>, change: Partial<Row>) => table.first(statements.update(where, change))
  const modify = (
    key: Where<Row>,
    change: (before: Row | undefined) => Row | undefined
  ): Effect.Effect<Option.Option<Row>, SqlError> =>
    Effect.gen(function* () {
      const before = Option.getOrUndefined(yield* table.first(find(key, "no key update")))
      const after = change(before)
      if (after === undefined) return Option.none()
      if (before !== undefined) return yield* update(key, after)
      // A concurrent insert might have been faster; `modify` then locks and changes that row.
      return (yield* isAny(insert(after))) ? Option.some(after) : yield* modify(key, change)
    })

  return {
    transaction: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      orUnavailable(sql.withTransaction(work)) as Effect.Effect<A, E | DatabaseUnavailable, R>,
    find: (where, lock) => orUnavailable(table.first(find(where, lock))),
    list: (where, limit) => orUnavailable(table.all(list(where, limit))),
    count: (where) => orUnavailable(Effect.map(counts.all(statements.count(where)), ([row]) => row!.count)),
    insert: (row) => orUnavailable(isAny(insert(row))),
    put: (row) => orUnavailable(Effect.asVoid(statements.put(row))),
    update: (where, change) => orUnavailable(update(where, change)),
    modify: (key, change) => orUnavailable(sql.withTransaction(modify(key, change))),
    remove: (where) => orUnavailable(isAny(statements.remove(where)))
  }
}

const isAny = (rows: Effect.Effect<ReadonlyArray<unknown>, SqlError>) => Effect.map(rows, ({ length }) => length > 0)

const statementsOf = <Row extends object>(
  sql: SqlClient.SqlClient,
  table: Table.Table<Row>,
  { key, order }: Shape<Row>
) => {
  const { columns, name, nameOf, names, parameter, set, values } = table
  const from = sql.literal(name)
  const keyNames = key.map(nameOf)
  const otherwise = sql.literal(`on conflict (${keyNames.join(", ")}) do`)
  const others = names.filter((column) => !keyNames.includes(column))
  const replacing = sql.literal(others.map((column) => `${column} = excluded.${column}`).join(", "))
  const sorted = directions(key, order).map(([field, direction]) => `${name}.${nameOf(field)} ${direction}`)
  const ordered = sql.literal(`order by ${sorted.join(", ")}`)

  const matching = (where: Where<Row>) => {
    const conditions = entries(where).map(([field, condition]) => {
      const column = sql.literal(`${name}.${nameOf(field)}`)
      if (condition === null) return sql`${column} is null`
      if (!(condition instanceof Comparison)) return sql`${column} = ${parameter(field, condition)}`
      const bounds = condition.values.map((value) => parameter(field, value))
      return condition.operator === "any"
        ? sql`${column} = any(${bounds})`
        : sql`${column} ${sql.literal(condition.operator)} ${bounds[0]}`
    })
    return sql`where ${sql.and(conditions)}`
  }

  return {
    find: (where: Where<Row>, lock?: Lock) =>
      sql`select ${columns} from ${from} ${matching(where)} ${sql.literal(lock === undefined ? "" : `for ${lock}`)}`,
    list: (where: Where<Row>, limit?: number) =>
      sql`
        select ${columns} from ${from} ${matching(where)} ${ordered}
        ${limit === undefined ? sql.literal("") : sql`limit ${limit}`}`,
    count: (where: Where<Row>) => sql`select ${counts.columns} from ${from} ${matching(where)}`,
    insert: (row: Row) => sql`insert into ${from} ${values(row)} ${otherwise} nothing returning 1`,
    put: (row: Row) => sql`insert into ${from} ${values(row)} ${otherwise} update set ${replacing}`,
    update: (where: Where<Row>, change: Partial<Row>) =>
      sql`update ${from} set ${set(change)} ${matching(where)} returning ${columns}`,
    remove: (where: Where<Row>) => sql`delete from ${from} ${matching(where)} returning 1`
  }
}

const inMemory = <Row extends object>(
  { table, transaction }: MemoryTables["Service"],
  { key, order }: Shape<Row>
): Store<Row> => {
  const rows = table<Row>()
  const sorted = directions(key, order)
  const keyOf = (row: Where<Row>) => JSON.stringify(key.map((field) => comparable(row[field])))
  const matching = (where: Where<Row>): ReadonlyArray<Row> => {
    const conditions = entries(where)
    const isKeyed = key.every((field) => field in where && !(where[field] instanceof Comparison))
    const row = isKeyed ? rows.get(keyOf(where)) : undefined
    const candidates = !isKeyed ? rows.rows() : row === undefined ? [] : [row]
    return candidates.filter((candidate) =>
      conditions.every(([field, condition]) => meets(candidate[field], condition))
    )
  }
  const find = (where: Where<Row>) => Option.fromUndefinedOr(matching(where)[0])
  const write = <A>(work: () => A) => transaction(Effect.sync(work))
  const set = (row: Row) => rows.set(keyOf(row), row)

  return {
    transaction,
    find: (where) => Effect.sync(() => find(where)),
    list: (where, limit) =>
      Effect.sync(() =>
        matching(where)
          .toSorted((a, b) => {
            for (const [field, direction] of sorted) {
              if (a[field] !== b[field]) return a[field] < b[field] === (direction === "asc") ? -1 : 1
            }
            return 0
          })
          .slice(0, limit)
      ),
    count: (where) => Effect.sync(() => matching(where).length),
    insert: (row) =>
      write(() => {
        const isNew = rows.get(keyOf(row)) === undefined
        if (isNew) set(row)
        return isNew
      }),
    put: (row) => write(() => set(row)),
    update: (where, change) =>
      write(() =>
        Option.map(find(where), (before) => {
          const after = { ...before, ...change }
          set(after)
          return after
        })
      ),
    modify: (rowKey, change) =>
      write(() => {
        const after = change(rows.get(keyOf(rowKey)))
        if (after !== undefined) set(after)
        return Option.fromUndefinedOr(after)
      }),
    remove: (where) =>
      write(() => {
        const removed = matching(where)
        for (const row of removed) rows.delete(keyOf(row))
        return removed.length > 0
      })
  }
}

const entries = <Row>(where: Where<Row>): ReadonlyArray<[keyof Row, unknown]> =>
  Object.entries(where) as unknown as ReadonlyArray<[keyof Row, unknown]>

const directions = <Row>(key: Shape<Row>["key"], order: Shape<Row>["order"]) =>
  order === undefined
    ? key.map((field): [keyof Row, "asc" | "desc"] => [field, "asc"])
    : (Object.entries(order) as unknown as ReadonlyArray<[keyof Row, "asc" | "desc"]>)

/** Returns bytes as text, so that equal byte arrays compare as equal. */
const comparable = (value: unknown): unknown =>
  value instanceof Uint8Array ? Buffer.from(value).toString("hex") : value

const meets = (value: unknown, condition: unknown): boolean => {
  if (!(condition instanceof Comparison)) return comparable(value) === comparable(condition)
  if (value === null) return false
  if (condition.operator === "any") return condition.values.includes(value)
  const [bound] = condition.values as [never]
  return condition.operator === ">" ? (value as never) > bound : (value as never) <= bound
}
