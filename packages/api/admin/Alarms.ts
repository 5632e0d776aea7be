/** Alarms: current conditions that need an operator. */
import { AlarmKind } from "@venue/domain/Alarm"
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Moment, RowCount } from "../Body.ts"
import { OperatorOnly } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Condition that needs an operator's attention. */
export const Alarm = Schema.Struct({
  id: Schema.String.annotate({
    description: "Id of the alarm, the same for the same condition on every node and after every restart."
  }),
  kind: Schema.Literals([
    ...AlarmKind.literals,
    /** No account could take over a position in liquidation. The venue retries every second (rule 9.9). */
    "POSITION_LEFT",
    /**
     * A market, or a desk that serves some of the users, does not respond, so its own alarms are missing from the
     * list.
     */
    "UNREACHABLE",
    /** The database lacks rows or restrictions that a witness has seen, as after a restore of an older backup (I57). */
    "BEHIND_WITNESS",
    /** The database does not answer the node that lists the alarms. */
    "DATABASE_OUT",
    /** Fewer replicas stream from the database than the settings expect. */
    "REPLICA_ABSENT",
    /** A replica of the database has not replayed the latest changes. */
    "REPLICA_BEHIND",
    /** A node has been silent for more than 30 s, although no operator drained it. */
    "NODE_LOST",
    /** A file system that a node watches is more than 80 % full. */
    "DISK_FULL",
    /** A certificate of a node expires within 21 days, or has expired. */
    "CERTIFICATE_EXPIRING",
    /** The token of an operator expires within 7 days, or has expired. */
    "TOKEN_EXPIRING",
    /** A market is in state TRADING but has never had an external price, so it accepts no order. */
    "NO_PRICE",
    /** A price source has sent no current price for any of its symbols for a minute of their trading hours. */
    "PRICE_SOURCE_DEAD",
    /** The last audit is more than 30 s old, or no audit has been made yet. */
    "AUDIT_LATE",
    /** Withdrawals are blocked, for the given reason or because no audit ran for 30 s. */
    "WITHDRAWALS_BLOCKED",
    /** Calls to a rail fail for the given reason. While all calls fail, no deposit or withdrawal moves on the rail. */
    "RAIL_UNAVAILABLE",
    /** A withdrawal is held for review (rule 18). */
    "WITHDRAWAL_HELD",
    /**
     * The signer refuses to sign a withdrawal for the given reason. On a chain with nonces, this withdrawal blocks
     * the withdrawals after it.
     */
    "WITHDRAWAL_NOT_SIGNED",
    /** A withdrawal has been in flight for more than an hour. */
    "WITHDRAWAL_STUCK",
    /** A deposit belongs to no user and waits for an operator. */
    "DEPOSIT_UNMATCHED"
  ]).annotate({ description: "Kind of the alarm." }),
  symbol: Schema.NullOr(Schema.String).annotate({
    description: "Market symbol; null if the alarm concerns no single market."
  }),
  since: Schema.NullOr(Moment).annotate({
    description: "Start of the condition, ISO 8601 in UTC; null if the start is unknown."
  }),
  account_id: Schema.optionalKey(
    Schema.String.annotate({ description: "Account id of a position in liquidation that no account could take over." })
  ),
  quantity: Schema.optionalKey(
    Schema.Finite.annotate({
      description: "Signed size of the position of `account_id`, in base units; negative when short."
    })
  ),
  rail: Schema.optionalKey(RailName.annotate({ description: "Affected rail; omitted if the alarm concerns no rail." })),
  withdrawal_id: Schema.optionalKey(Schema.String.annotate({ description: "Id of the affected withdrawal." })),
  deposit_id: Schema.optionalKey(Schema.String.annotate({ description: "Id of the affected deposit." })),
  streams: Schema.optionalKey(
    Schema.Int.annotate({ description: "Number of streams of the journal that lack rows. GET /recovery lists them." })
  ),
  missing_rows: Schema.optionalKey(
    Schema.Int.annotate({ description: "Number of rows that the journal certainly lacks." })
  ),
  node: Schema.optionalKey(Schema.String.annotate({ description: "Name of the affected node." })),
  path: Schema.optionalKey(
    Schema.String.annotate({ description: "Affected file or directory of `node`, as its settings name it." })
  ),
  operator: Schema.optionalKey(Schema.String.annotate({ description: "Name of the affected operator." })),
  price_source: Schema.optionalKey(Schema.String.annotate({ description: "Name of the affected price source." })),
  replica: Schema.optionalKey(Schema.String.annotate({ description: "Name of the affected replica of the database." })),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Explanation of the condition." }))
}).annotate({ identifier: "Alarm", description: "Condition that needs an operator's attention." })
export type Alarm = typeof Alarm.Type

/** Kind of an alarm. */
export type Kind = Alarm["kind"]

/** List of alarms; empty in normal operation. */
export const AlarmList = Schema.Struct({
  data: Schema.Array(Alarm).annotate({
    description: "Current alarms. For each kind of withdrawal or deposit alarm, the list has at most the 100 oldest."
  }),
  count: RowCount,
  unknown_kinds: Schema.Array(Alarm.fields.kind).annotate({
    description:
      "Kinds whose alarms might be missing from the list, because the database does not answer. Empty while it answers."
  }),
  at: Moment.annotate({ description: "Time of the response, ISO 8601 in UTC." })
}).annotate({
  identifier: "AlarmList"
})

export const AlarmsGroup = HttpApiGroup.make("alarms")
  .add(
    HttpApiEndpoint.get("list", "/alarms", { success: AlarmList }).annotateMerge(
      operation(
        "List alarms",
        "Returns the current conditions that need an operator's attention. The list is empty in normal operation. While " +
          "the database does not answer, it has DATABASE_OUT and the alarms that the node can see itself."
      )
    )
  )
  .middleware(OperatorOnly)
