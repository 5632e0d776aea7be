/** A venue's processes. Each process renews its row every second and reads its wanted state from it. */
import { advisoryLocks } from "@venue/postgres/AdvisoryLocks"
import { boolean, integer, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import { type DatabaseUnavailable, orUnavailable } from "@venue/postgres/DatabaseUnavailable"
import * as Migrations from "@venue/postgres/Migrations"
import * as Table from "@venue/postgres/Table"
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { MigrationError } from "effect/sql/Migrator"
import type { SqlError } from "effect/sql/SqlError"

/**
 * State that an operator wants. Nodes that are `draining` or `restarting` hand over their work and exit; a supervisor
 * starts a `restarting` node again.
 */
export const Wanted = Schema.Literals(["serving", "draining", "restarting"])
export type Wanted = typeof Wanted.Type

const nodeTable = Table.make("node", {
  /** Unique for each process, even for a later process with the same name. */
  nodeId: text,
  name: text,
  kind: of("text", Schema.Literals(["runner", "gateway"])),
  address: text,
  release: text,
  /** Hashes of settings that must be equal on all nodes; several while a setting is replaced, the current one first. */
  settings: of("jsonb", Schema.Record(Schema.String, Schema.String)),
  wanted: of("text", Wanted),
  isReady: boolean,
  shards: integer,
  startedAtMillis: timestamptz,
  lastSeenAtMillis: timestamptz,
  leftAtMillis: orNull(timestamptz),
  /** Numbers of operators' contracts that the node knows and trades; null for a node of release 0.1.0. */
  contractsKnown: orNull(integer),
  contractsInForce: orNull(integer)
})
type Row = Table.Row<typeof nodeTable>

const living = "(node.left_at is null and node.last_seen_at > clock_timestamp() - interval '5 seconds')"
const isLiving = { schema: Schema.Boolean, expression: living }
const nodes = nodeTable.with({ isLiving })
export type Node = Table.Row<typeof nodes>

const renewed = Table.selection({
  wanted: { schema: Wanted, expression: "node.wanted" },
  gateways: {
    schema: Schema.Number,
    expression: `(select count(*)::int from node where node.kind = 'gateway' and ${living})`
  }
})

const addresses = nodeTable.pick("nodeId", "address")

export type Contracts = Pick<Row, "contractsKnown" | "contractsInForce">
export type Joining = Pick<Row, "nodeId" | "name" | "kind" | "address" | "release" | "settings">

/** The node's settings differ from those of live nodes, so the node cannot serve. */
export class SettingsDiffer extends Schema.TaggedError<SettingsDiffer>()("SettingsDiffer", {
  names: Schema.Array(Schema.String),
  nodes: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `${this.names.join(", ")}: the value differs from the value on ${this.nodes.join(", ")}; set the same value here, or stop those nodes first`
  }
}

/** No process with this name has joined. */
export class UnknownNode extends Schema.TaggedError<UnknownNode>()("UnknownNode", { name: Schema.String }) {
  override get message(): string {
    return `no node is called ${this.name}`
  }
}

export class Nodes extends Context.Service<
  Nodes,
  {
    /**
     * Adds a node, which takes over its name from an earlier process. Compares the settings shared with each live
     * node.
     */
    readonly join: (node: Joining) => Effect.Effect<void, SettingsDiffer | DatabaseUnavailable>
    /** Renews a node's row. Returns the wanted state, or `draining` if a newer process has taken over the name. */
    readonly renew: (
      nodeId: string,
      state: Pick<Row, "isReady" | "shards">
    ) => Effect.Effect<Wanted, DatabaseUnavailable>
    /** Records which contracts a node knows and trades. */
    readonly reportContracts: (nodeId: string, contracts: Contracts) => Effect.Effect<void, DatabaseUnavailable>
    /**
     * Marks a node as having left. Its row and wanted state are kept for an hour. The row of a node that is lost, so
     * that it never left, is kept for 30 days.
     */
    readonly leave: (nodeId: string) => Effect.Effect<void, DatabaseUnavailable>
    /** Returns all nodes, ordered by name. A node is living if it was seen within the last 5 s and has not left. */
    readonly all: Effect.Effect<ReadonlyArray<Node>, DatabaseUnavailable>
    /**
     * Crashed runners: those seen within the last 2 s that have no database connection. After a database outage no
     * runner was seen recently, so none is declared dead.
     */
    readonly dead: Effect.Effect<ReadonlyArray<Pick<Row, "nodeId" | "address">>, DatabaseUnavailable>
    readonly want: (name: string, wanted: Wanted) => Effect.Effect<void, UnknownNode | DatabaseUnavailable>
    /** Returns the number of living gateways, at least 1, as of this process's last renewal. */
    readonly livingGateways: () => number
  }
>()("@venue/storage/nodes/Nodes") {
  static readonly layer: Layer.Layer<Nodes, MigrationError | SqlError, SqlClient.SqlClient> = Layer.effect(
    Nodes,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(Migrations.layer))

  static readonly layerMemory: Layer.Layer<Nodes> = Layer.effect(
    Nodes,
    Effect.suspend(() => makeMemory)
  )
}

/** Columns of a database of any release. Releases after 0.1.0 have added the contracts. */
const ofAnyRelease = nodeTable.with({
  isLiving,
  contractsKnown: { ...orNull(integer), expression: "(to_jsonb(node) ->> 'contracts_known')::integer" },
  contractsInForce: { ...orNull(integer), expression: "(to_jsonb(node) ->> 'contracts_in_force')::integer" }
})

/** Reads all nodes, ordered by name, from a database of any release whose tables exist. Changes nothing. */
export const read = (sql: SqlClient.SqlClient) =>
  ofAnyRelease.all(sql`select ${ofAnyRelease.columns} from node order by name`)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const joined = new Map<string, Joining & Partial<Contracts>>()
  let gateways = 1

  const all = read(sql)
  const insert = (node: Joining & Partial<Contracts>) =>
    sql`insert into node ${nodeTable.values(node)} on conflict do nothing`

  /** The row might be missing because it was pruned while the node was frozen, or the database was restored. */
  const returned = Effect.fnUntraced(function* (node: (Joining & Partial<Contracts>) | undefined) {
    if (node === undefined) return "draining"
    yield* insert(node)
    const current = yield* nodes.first(sql`select ${nodes.columns} from node where node_id = ${node.nodeId}`)
    return Option.isSome(current) ? current.value.wanted : "draining"
  })

  return Nodes.of({
    join: Effect.fn("Nodes.join")(
      (node: Joining) =>
        sql
          .withTransaction(
            Effect.gen(function* () {
              // Without the lock, two nodes that join at the same time would not see each other. Renewals take no
              // lock, because a joining node could freeze while it holds the lock.
              yield* sql`select pg_advisory_xact_lock(${advisoryLocks.joining})`
              yield* checkAgreement(node, yield* all)
              // Keeps the rows of draining nodes, so that an operator can set them back to serving. A lost node's row is
              // the reason of an alarm.
              yield* sql`
                delete from node where name = ${node.name}
                  or wanted <> 'draining' and last_seen_at < clock_timestamp() -
                    case when left_at is null then ${lostKeptFor}::interval else ${keptFor}::interval end`
              yield* insert(node)
            })
          )
          .pipe(Effect.tap(() => Effect.sync(() => joined.set(node.nodeId, node)))),
      orUnavailable
    ),
    renew: Effect.fn("Nodes.renew")(function* (nodeId: string, { isReady, shards }: Pick<Row, "isReady" | "shards">) {
      const row = yield* renewed.first(sql`
        update node set last_seen_at = clock_timestamp(), ${nodeTable.set({ isReady, shards })}
        where node_id = ${nodeId} and left_at is null returning ${renewed.columns}`)
      if (Option.isNone(row)) return yield* returned(joined.get(nodeId))
      gateways = row.value.gateways
      return row.value.wanted
    }, orUnavailable),
    reportContracts: Effect.fn("Nodes.reportContracts")(function* (nodeId: string, contracts: Contracts) {
      const node = joined.get(nodeId)
      if (node !== undefined) joined.set(nodeId, { ...node, ...contracts })
      yield* sql`update node set ${nodeTable.set(contracts)} where node_id = ${nodeId}`
    }, orUnavailable),
    leave: Effect.fn("Nodes.leave")(
      (nodeId: string) =>
        Effect.asVoid(
          sql`update node set left_at = clock_timestamp(), is_ready = false, shards = 0 where node_id = ${nodeId}`
        ),
      orUnavailable
    ),
    all: orUnavailable(all),
    dead: orUnavailable(
      addresses.all(sql`
        select ${addresses.columns} from node
        where kind = 'runner' and left_at is null and last_seen_at > clock_timestamp() - interval '2 seconds'
          and not exists (
            select from pg_stat_activity where starts_with(application_name, node.name || '/')
          )`)
    ),
    want: Effect.fn("Nodes.want")(function* (name: string, wanted: Wanted) {
      const rows = yield* orUnavailable(sql`update node set wanted = ${wanted} where name = ${name} returning 1`)
      if (rows.length === 0) return yield* new UnknownNode({ name })
    }),
    livingGateways: () => Math.max(1, gateways)
  })
})

const keptFor = "1 hour"
const lostKeptFor = "30 days"
const livingMillis = 5_000
const keptMillis = 3_600_000
const lostKeptMillis = 30 * 24 * keptMillis

/** Ignores the process that is being replaced, and settings that the other node's release does not have. */
const checkAgreement = (node: Joining, all: ReadonlyArray<Node>): Effect.Effect<void, SettingsDiffer> => {
  const differing = all
    .filter(({ isLiving, name }) => isLiving && name !== node.name)
    .map(({ name, settings }) => ({
      name,
      settings: Object.keys(settings).filter(
        (setting) => node.settings[setting] !== undefined && !agree(node.settings[setting], settings[setting]!)
      )
    }))
    .filter(({ settings }) => settings.length > 0)
  if (differing.length === 0) return Effect.void
  return Effect.fail(
    new SettingsDiffer({
      names: [...new Set(differing.flatMap(({ settings }) => settings))].toSorted(),
      nodes: differing.map(({ name }) => name)
    })
  )
}

/** Whether each node accepts the other node's value. */
const agree = (a: string, b: string): boolean => {
  const [first, second] = [a.split(","), b.split(",")]
  return second.includes(first[0]!) && first.includes(second[0]!)
}

const makeMemory = Effect.map(Clock.Clock, (clock) => {
  const rows = new Map<string, Row>()
  const now = () => clock.currentTimeMillisUnsafe()
  const isLiving = ({ lastSeenAtMillis, leftAtMillis }: Row) =>
    leftAtMillis === null && lastSeenAtMillis > now() - livingMillis
  const all = (): ReadonlyArray<Node> =>
    [...rows.values()]
      .map((row) => ({ ...row, isLiving: isLiving(row) }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const change = (row: Row | undefined, changed: Partial<Row>) => {
    if (row !== undefined) rows.set(row.nodeId, { ...row, ...changed })
  }

  return Nodes.of({
    join: Effect.fnUntraced(function* (node) {
      yield* checkAgreement(node, all())
      for (const { lastSeenAtMillis, leftAtMillis, name, nodeId, wanted } of rows.values()) {
        const keptSinceMillis = now() - (leftAtMillis === null ? lostKeptMillis : keptMillis)
        if (name === node.name || (wanted !== "draining" && lastSeenAtMillis < keptSinceMillis)) rows.delete(nodeId)
      }
      const seen = { startedAtMillis: now(), lastSeenAtMillis: now(), leftAtMillis: null }
      const unknown = { contractsKnown: null, contractsInForce: null }
      rows.set(node.nodeId, { ...node, ...seen, ...unknown, wanted: "serving", isReady: false, shards: 0 })
    }),
    renew: (nodeId, state) =>
      Effect.sync(() => {
        change(rows.get(nodeId), { ...state, lastSeenAtMillis: now() })
        return rows.get(nodeId)?.wanted ?? "draining"
      }),
    reportContracts: (nodeId, contracts) => Effect.sync(() => change(rows.get(nodeId), contracts)),
    leave: (nodeId) => Effect.sync(() => change(rows.get(nodeId), { leftAtMillis: now(), isReady: false, shards: 0 })),
    all: Effect.sync(all),
    // All in-memory nodes run in this process, so none can be dead.
    dead: Effect.succeed([]),
    want: Effect.fnUntraced(function* (name, wanted) {
      const row = [...rows.values()].find((row) => row.name === name)
      if (row === undefined) return yield* new UnknownNode({ name })
      change(row, { wanted })
    }),
    livingGateways: () => Math.max(1, all().filter(({ isLiving, kind }) => isLiving && kind === "gateway").length)
  })
})
