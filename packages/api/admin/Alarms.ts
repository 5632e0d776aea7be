/** What an operator has to see to now. */
import { AlarmKind } from "@venue/domain/Alarm"
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Moment, RowCount } from "../Body.ts"
import { ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly } from "./Operator.ts"

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
  ]),
  /** It is `null` for a desk, for the venue as a whole, and where money comes and goes. */
  symbol: Schema.NullOr(Schema.String),
  /** It is `null` where nothing was ever heard. */
  since: Schema.NullOr(Moment),
  /** Of a position that is left, whose it is. */
  account_id: Schema.optionalKey(Schema.String),
  /** Of a position that is left, below zero where it is short. */
  quantity: Schema.optionalKey(Schema.Finite),
  rail: Schema.optionalKey(RailName),
  withdrawal_id: Schema.optionalKey(Schema.String),
  deposit_id: Schema.optionalKey(Schema.String),
  reason: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Alarm" })

/** None is the good case. Of withdrawals and deposits the oldest hundred of a kind are told. */
export const AlarmList = Schema.Struct({ data: Schema.Array(Alarm), count: RowCount, at: Moment }).annotate({
  identifier: "AlarmList"
})

export const AlarmsGroup = HttpApiGroup.make("alarms")
  .add(HttpApiEndpoint.get("list", "/alarms", { success: AlarmList, error: ServiceUnavailable }))
  .middleware(OperatorOnly)
