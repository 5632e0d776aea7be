/** What an operator has to see to now. */
import { AlarmKind } from "@venue/domain/Alarm"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Moment } from "../Body.ts"
import { OperatorOnly } from "./Operator.ts"

export const Alarm = Schema.Struct({
  kind: Schema.Literals([
    ...AlarmKind.literals,
    /** A takeover found nobody for the position of an account; it is tried again each second (rule 9.9). */
    "POSITION_LEFT",
    /** A market, or a desk with a part of the users, does not answer: what it would say is not here. */
    "UNREACHABLE"
  ]),
  /** It is `null` for a desk. */
  symbol: Schema.NullOr(Schema.String),
  /** It is `null` where nothing was ever heard. */
  since: Schema.NullOr(Moment),
  /** Of a position that is left, whose it is. */
  account_id: Schema.optionalKey(Schema.String),
  /** Of a position that is left, below zero where it is short. */
  quantity: Schema.optionalKey(Schema.Finite)
}).annotate({ identifier: "Alarm" })

/** None is the good case. */
export const AlarmList = Schema.Struct({ data: Schema.Array(Alarm), count: Schema.Int, at: Moment }).annotate({
  identifier: "AlarmList"
})

export const AlarmsGroup = HttpApiGroup.make("alarms")
  .add(HttpApiEndpoint.get("list", "/alarms", { success: AlarmList }))
  .middleware(OperatorOnly)
