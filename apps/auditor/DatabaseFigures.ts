/** Figures of the database for the metrics. Every query reads few rows, statistics, or an index of open work. */
import { moneyScale } from "@venue/domain/Decimal"
import * as Table from "@venue/postgres/Table"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"

const number = (expression: string) => ({ schema: Schema.Number, expression: `(${expression})::float8` })
const numberOrNull = (expression: string) => ({
  schema: Schema.NullOr(Schema.Number),
  expression: `(${expression})::float8`
})
const text = (expression: string) => ({ schema: Schema.String, expression })
const secondsSince = (time: string) => `greatest(0, extract(epoch from clock_timestamp() - ${time}))`

const sizes = Table.selection({
  databaseBytes: number("pg_database_size(current_database())"),
  journalBytes: number("pg_total_relation_size('journal')"),
  maxConnections: number("current_setting('max_connections')::int")
})

const operators = Table.selection({ nextExpirySeconds: numberOrNull("extract(epoch from min(expires_at))") })

/** Each pool of a node names its connections `node/pool`. Other programs share one name, as theirs are unbounded. */
const connections = Table.selection({
  node: text(`case when is_of_venue then split_part(application_name, '/', 1) else 'other' end`),
  pool: text(`case when is_of_venue then split_part(application_name, '/', 2) else '' end`),
  state: text(`coalesce(state, 'unknown')`),
  count: number("count(*)")
})

/** Without the role `pg_monitor`, Postgres hides the lag. */
const replicas = Table.selection({
  count: number("count(*)"),
  lagSeconds: numberOrNull("extract(epoch from max(replay_lag))")
})

const withdrawals = Table.selection({
  rail: text("rail"),
  state: text("state"),
  count: number("count(*)"),
  oldestSeconds: number(`max(${secondsSince("since")})`)
})

const rails = Table.selection({
  rail: text("rail"),
  scanSeconds: numberOrNull(`case when scanned_at is null then null else ${secondsSince("scanned_at")} end`),
  unavailableSeconds: number(`coalesce(${secondsSince("unavailable_since")}, 0)`)
})

const webhooks = Table.selection({
  waiting: number("select count(*) from webhook_delivery where outcome = 'PENDING'"),
  disabled: number("select count(*) from webhook where disabled_at is not null")
})

/** Few rows: one for each credit and each top-up by an operator. */
const uncovered = Table.selection({ usd: number(`coalesce(-sum(amount), 0) / ${moneyScale}`) })

const nodes = Table.selection({
  name: text("name"),
  kind: text("kind"),
  release: text("release"),
  seenSeconds: number(secondsSince("last_seen_at"))
})

export interface DatabaseFigures extends Effect.Success<ReturnType<typeof read>> {}

export const read = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const [size] = yield* sizes.all(sql`select ${sizes.columns}`)
  const [replica] = yield* replicas.all(sql`select ${replicas.columns} from pg_stat_replication`)
  const [given] = yield* uncovered.all(sql`
    select ${uncovered.columns} from ledger_entry
    where account in (${LedgerEntries.fundingAccount}, ${LedgerEntries.operatorAccount})`)
  const [operator] = yield* operators.all(sql`
    select ${operators.columns} from operator where removed_at is null and expires_at > clock_timestamp()`)
  const [webhook] = yield* webhooks.all(sql`select ${webhooks.columns}`)
  return {
    sizes: size!,
    replicas: replica!,
    webhooks: webhook!,
    operators: operator!,
    connections: yield* connections.all(sql`
      select ${connections.columns} from (
        select state, application_name,
          exists (select from node where node.name = split_part(application_name, '/', 1)) as is_of_venue
        from pg_stat_activity where datname = current_database() and usesysid is not null
      ) as a group by 1, 2, 3`),
    withdrawals: yield* withdrawals.all(sql`
      select ${withdrawals.columns} from (
        select rail, state, updated_at as since from withdrawal where state not in ('SETTLED', 'REJECTED', 'FAILED')
        union all
        select rail, 'UNSIGNED', refused_at from withdrawal where refused_at is not null
      ) as w group by 1, 2`),
    rails: yield* rails.all(sql`select ${rails.columns} from rail_state`),
    nodes: yield* nodes.all(sql`
      select ${nodes.columns} from node where left_at is null and last_seen_at > clock_timestamp() - interval '1 hour'`),
    uncoveredUsd: given!.usd
  }
})
