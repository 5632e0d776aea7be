/** Changes one unit in a venue's database from outside the venue, as a database administrator could. */
import * as MarketSnapshot from "@venue/cluster/entities/market/MarketSnapshot"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect, identity } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"
import { pack, unpack } from "msgpackr"
import { newestRows } from "../../../apps/auditor/Newest.ts"
import type { Random } from "../../chaos/Random.ts"

/** Change that was made. A fault must contain its name; `undo` restores the value. */
export interface Change {
  readonly name: string
  readonly what: string
  readonly undo: Effect.Effect<void, SqlError>
  /** Returns whether the database still contains the change. An owner might have overwritten a saved state. */
  readonly stands: Effect.Effect<boolean, SqlError>
}

/** Picks a random place and changes one unit there. Returns undefined if the database has no such place. */
export type Kind = (sql: SqlClient.SqlClient, random: Random) => Effect.Effect<Change | undefined, SqlError>

/** Value of one column of one row. */
interface Place {
  readonly table: string
  readonly column: string
  /** Key columns of the row, with their values. */
  readonly key: Readonly<Record<string, unknown>>
  readonly name: string
}

const change = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { column, key, name, table }: Place,
  was: unknown,
  is: unknown
) {
  const where = Object.keys(key).map((column, place) => `${column} = $${place + 2}`)
  const update = `update ${table} set ${column} = $1 where ${where.join(" and ")}`
  const look = `select 1 from ${table} where ${column} = $1 and ${where.join(" and ")}`
  const set = (value: unknown) =>
    sql.withTransaction(
      Effect.gen(function* () {
        // A superuser can disable triggers for a transaction. The venue's own role is not allowed to change these
        // rows.
        yield* sql`set local session_replication_role = replica`
        yield* sql.unsafe(update, [value, ...Object.values(key)])
      })
    )
  yield* set(is)
  const what = `${table} ${Object.values(key).join(" ")} ${column}`
  const stands = Effect.map(sql.unsafe(look, [is, ...Object.values(key)]), (rows) => rows.length > 0)
  return identity<Change>({ name, what, undo: Effect.asVoid(set(was)), stands })
})

/** Returns one random row of the query. */
const drawn = Effect.fnUntraced(function* <Row extends object>(sql: SqlClient.SqlClient, random: Random, rows: string) {
  const [counted] = yield* sql.unsafe<{ readonly count: string }>(`select count(*) as count from (${rows}) r`)
  const offset = random.whole(Number(counted!.count))
  const [row] = yield* sql.unsafe<Row>(`${rows} offset ${offset} limit 1`)
  return row
})

/** Repeats `attempt` until it returns a value, at most `tries` times. */
const firstOf = Effect.fnUntraced(function* <A>(tries: number, attempt: Effect.Effect<A | undefined, SqlError>) {
  for (let left = tries; left > 0; left--) {
    const value = yield* attempt
    if (value !== undefined) return value
  }
  return undefined
})

const newest = (table: string): string => `(select * from ${table} order by ctid desc limit ${newestRows})`

interface JournalRow {
  readonly stream: string
  readonly seq: string
  readonly events: Uint8Array
}

/** Matches field names that count money, prices or quantities. */
const isUnit = /^(amount|fee|realised|notional|marginUsed|remainder|reward)$|(Ticks|Lots|E8|E10|E12)$/

type Events = ReadonlyArray<object>

/** Returns copies of the events. Each copy has one changed unit, and comes with the path of that unit. */
const changedBy = (value: unknown, path: string): ReadonlyArray<readonly [changed: unknown, path: string]> => {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const put = (is: unknown) =>
      Array.isArray(value)
        ? value.with(Number(key), is)
        : Object.assign(Object.create(Object.getPrototypeOf(value)), value, { [key]: is })
    const here = `${path}.${key}`
    if (isUnit.test(key) && typeof inner === "bigint") return [[put(inner + 1n), here] as const]
    if (isUnit.test(key) && typeof inner === "number") return [[put(inner + 1), here] as const]
    return changedBy(inner, here).map(([changed, name]) => [put(changed), name] as const)
  })
}

/**
 * Changes a unit in an event of one of the newest projected rows. A changed row that is not yet projected would put
 * its wrong value into the tables, and restoring the row would not correct them.
 */
const journalRow =
  (
    prefix: string,
    group: string,
    decode: (bytes: Uint8Array) => Events,
    encode: (events: Events) => Uint8Array
  ): Kind =>
  (sql, random) =>
    firstOf(
      20,
      Effect.gen(function* () {
        const row = yield* drawn<JournalRow>(
          sql,
          random,
          `select j.stream, j.seq, j.events from ${newest("journal")} j
           join projection p on p.position = '${group}:' || j.stream and p.seq >= j.seq
           where j.stream like '${prefix}/%' and length(j.events) > 0`
        )
        if (row === undefined) return undefined
        const candidates = changedBy(decode(row.events), "")
        if (candidates.length === 0) return undefined
        const [changed, path] = random.pick(candidates)
        const is = encode(changed as Events)
        // The changed field is derived and not stored, so the encoded row is unchanged.
        if (Buffer.compare(is, row.events) === 0) return undefined
        const { seq, stream } = row
        const place = {
          table: "journal",
          column: "events",
          key: { stream, seq },
          name: stream.slice(prefix.length + 1)
        }
        const done = yield* change(sql, place, row.events, is)
        return { ...done, what: `${done.what}${path}` }
      })
    )

const counted = ["price", "quantity", "order_price", "remaining", "fee", "realised", "margin_used"]

const trade: Kind = Effect.fnUntraced(function* (sql, random) {
  const column = random.pick(counted)
  const row = yield* drawn<Record<"symbol" | "number" | "side" | "value", string>>(
    sql,
    random,
    `select symbol, number, side, ${column} as value from ${newest("trade")} t`
  )
  if (row === undefined) return undefined
  const { number, side, symbol, value } = row
  const place = { table: "trade", column, key: { symbol, number, side }, name: symbol }
  return yield* change(sql, place, value, String(BigInt(value) + 1n))
})

const entry = (where: string): Kind =>
  Effect.fnUntraced(function* (sql, random) {
    const row = yield* drawn<Record<"stream" | "seq" | "place" | "value", string>>(
      sql,
      random,
      `select stream, seq, place, amount::text as value from ${newest("ledger_entry")} e where ${where}`
    )
    if (row === undefined) return undefined
    const { place, seq, stream, value } = row
    const name = stream.slice(stream.indexOf("/") + 1)
    const at = { table: "ledger_entry", column: "amount", key: { stream, seq, place }, name }
    return yield* change(sql, at, value, String(BigInt(value) + 1n))
  })

interface Piece {
  readonly stream: string
  readonly seq: string
  readonly piece: Uint8Array
}

/** Changes a balance in a saved state that consists of one piece, as all states of a drill do. */
const savedBalance =
  (
    prefix: string,
    where: string,
    changed: (piece: Uint8Array, random: Random) => readonly [is: Uint8Array, what: string] | undefined
  ): Kind =>
  (sql, random) =>
    firstOf(
      20,
      Effect.gen(function* () {
        const row = yield* drawn<Piece>(
          sql,
          random,
          `select p.stream, p.seq, p.piece from snapshot s join snapshot_piece p using (stream, seq)
           where p.stream like '${prefix}/%' and p.number = 0 and ${where}
             and not exists (select 1 from snapshot_piece m where m.stream = p.stream and m.seq = p.seq and m.number > 0)`
        )
        const edit = row === undefined ? undefined : changed(row.piece, random)
        if (row === undefined || edit === undefined) return undefined
        const { piece, seq, stream } = row
        const key = { stream, seq, number: 0 }
        const place = { table: "snapshot_piece", column: "piece", key, name: stream.slice(prefix.length + 1) }
        const done = yield* change(sql, place, piece, edit[0])
        return { ...done, what: `${done.what}, ${edit[1]}` }
      })
    )

/** Markets without trades have no accounts, so only traded markets are changed. */
const isTraded = "exists (select 1 from trade t where p.stream = 'market/' || t.symbol)"

const ofMarket = savedBalance("market", isTraded, (piece, random) => {
  const state = MarketSnapshot.decode(piece)
  if (state === undefined || state.accounts.length === 0) return undefined
  if (random.chance(0.2)) {
    const field = random.pick(["venueFees", "reserveFund", "toppedUp"] as const)
    const totals = { ...state.totals, [field]: state.totals[field] + 1 }
    return [Buffer.concat([...MarketSnapshot.encode({ ...state, totals })]), field]
  }
  const at = random.whole(state.accounts.length)
  const field = 2 + random.whole(6)
  const account = state.accounts[at]!.map((value, place) => (place === field ? Number(value) + 1 : value))
  const accounts = state.accounts.with(at, account as unknown as (typeof state.accounts)[number])
  return [Buffer.concat([...MarketSnapshot.encode({ ...state, accounts })]), `account ${at}, number ${field - 1}`]
})

const ofTrader = savedBalance("trader", "true", (piece, random) => {
  const state = unpack(piece) as {
    readonly accounts: ReadonlyArray<{ readonly deposit: string; readonly referralRewards: string }>
  }
  const at = random.whole(state.accounts.length)
  const field = random.pick(["deposit", "referralRewards"] as const)
  const account = state.accounts[at]!
  const is = { ...account, [field]: String(BigInt(account[field]) + 1n) }
  return [pack({ ...state, accounts: state.accounts.with(at, is) }), `account ${at}, ${field}`]
})

export const kinds: Readonly<Record<string, Kind>> = {
  "a saved balance of a market": ofMarket,
  "a saved balance of a trader": ofTrader,
  "a row of a market's journal": journalRow("market", "trading", MarketRecord.decode, (events) =>
    MarketRecord.encode(events as Parameters<typeof MarketRecord.encode>[0])
  ),
  "a row of a trader's journal": journalRow("trader", "ledger", TraderRecord.decode, (events) =>
    TraderRecord.encode(events as Parameters<typeof TraderRecord.encode>[0])
  ),
  "an entry of the ledger": entry("stream not like 'withdrawal/%'"),
  "an entry of a withdrawal that arrived": entry("stream like 'withdrawal/%'"),
  "a trade": trade
}
