/** Alarms: current conditions that need an operator. */
import { AlarmKind } from "@venue/domain/Alarm"
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Moment, RowCount } from "../Body.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Condition that needs an operator's attention. */
export const Alarm = Schema.Struct({
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
    description: "Market symbol; null for an alarm without a market."
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
  rail: Schema.optionalKey(RailName.annotate({ description: "Affected rail; omitted for an alarm without a rail." })),
  withdrawal_id: Schema.optionalKey(Schema.String.annotate({ description: "Id of the affected withdrawal." })),
  deposit_id: Schema.optionalKey(Schema.String.annotate({ description: "Id of the affected deposit." })),
  streams: Schema.optionalKey(
    Schema.Int.annotate({ description: "Number of streams of the journal that lack rows. GET /recovery lists them." })
  ),
  missing_rows: Schema.optionalKey(
    Schema.Int.annotate({ description: "Number of rows that the journal certainly lacks." })
  ),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Explanation of the condition." }))
}).annotate({ identifier: "Alarm", description: "Condition that needs an operator's attention." })

/** List of alarms; empty in normal operation. */
export const AlarmList = Schema.Struct({
  data: Schema.Array(Alarm).annotate({
    description: "Current alarms. For each kind of withdrawal or deposit alarm, the list has at most the 100 oldest."
  }),
  count: RowCount,
  at: Moment.annotate({ description: "Time of the response, ISO 8601 in UTC." })
}).annotate({
  identifier: "AlarmList"
})

export const AlarmsGroup = HttpApiGroup.make("alarms")
  .add(
    HttpApiEndpoint.get("list", "/alarms", { success: AlarmList, error: ServiceUnavailable }).annotateMerge(
      operation(
        "List alarms",
        "Returns the current conditions that need an operator. The list is empty in normal operation."
      )
    )
  )
  .middleware(OperatorOnly)
