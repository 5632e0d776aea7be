/** What an operator has to see to now. */
import { AlarmKind } from "@venue/domain/Alarm"
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Moment, RowCount } from "../Body.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly } from "./Operator.ts"
import { operation } from "../Operation.ts"

export const Alarm = Schema.Struct({
  kind: Schema.Literals([
    ...AlarmKind.literals,
    /** A takeover found nobody for the position of an account; it is tried again each second (rule 9.9). */
    "POSITION_LEFT",
    /** A market, or a desk with a part of the users, does not answer: what it would say is not here. */
    "UNREACHABLE",
    /** Nothing leaves the venue: for this reason, or since nobody has audited it for 30 s. */
    "WITHDRAWALS_BLOCKED",
    /** Something that a rail was asked is not answered, for this reason; where nobody answers, no money comes in or leaves by it. */
    "RAIL_UNAVAILABLE",
    /** A withdrawal waits for an operator to approve or reject it (rule 18). */
    "WITHDRAWAL_HELD",
    /** A withdrawal is not signed, for this reason; one that has its number on an ordered chain holds up those behind it. */
    "WITHDRAWAL_NOT_SIGNED",
    /** A withdrawal was sent an hour ago, and nobody has heard the end of it. */
    "WITHDRAWAL_STUCK",
    /** Money came in, and whose it is is for an operator to say. */
    "DEPOSIT_UNMATCHED"
  ]).annotate({ description: "Kind of the condition." }),
  symbol: Schema.NullOr(Schema.String).annotate({
    description: "Symbol of the market; null where the alarm is about none."
  }),
  since: Schema.NullOr(Moment).annotate({
    description: "Time at which the condition began, ISO 8601 in UTC; null if nothing was ever received."
  }),
  account_id: Schema.optionalKey(
    Schema.String.annotate({ description: "Account of a position that no takeover closed." })
  ),
  quantity: Schema.optionalKey(
    Schema.Finite.annotate({ description: "Size of that position, in base units; negative is short." })
  ),
  rail: Schema.optionalKey(RailName.annotate({ description: "Rail that the alarm is about." })),
  withdrawal_id: Schema.optionalKey(
    Schema.String.annotate({ description: "Id of the withdrawal that the alarm is about." })
  ),
  deposit_id: Schema.optionalKey(Schema.String.annotate({ description: "Id of the deposit that the alarm is about." })),
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Explanation of the condition." }))
}).annotate({ identifier: "Alarm", description: "Condition that an operator should look at." })

/** None is the good case. Of withdrawals and deposits the oldest hundred of a kind are told. */
export const AlarmList = Schema.Struct({
  data: Schema.Array(Alarm).annotate({
    description: "Alarms; at most a hundred withdrawals and deposits of a kind, oldest first."
  }),
  count: RowCount,
  at: Moment.annotate({ description: "Time of the answer, ISO 8601 in UTC." })
}).annotate({
  identifier: "AlarmList"
})

export const AlarmsGroup = HttpApiGroup.make("alarms")
  .add(
    HttpApiEndpoint.get("list", "/alarms", { success: AlarmList, error: ServiceUnavailable }).annotateMerge(
      operation(
        "List alarms",
        "Returns the conditions that an operator should look at now. An empty list is the good case."
      )
    )
  )
  .middleware(OperatorOnly)
