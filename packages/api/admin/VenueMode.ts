/** What the whole venue lets in, and how an operator changes it: less at once, more again one step at a time. */
import { VenueStep, VenueTrading, VenueWithdrawals } from "@venue/domain/VenueMode"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Moment, SchemaLink } from "../Body.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"

export const ChangeVenueMode = Schema.Struct({
  $schema: SchemaLink,
  /** The first two are possible at any time; each of the others follows the one before it, and needs a clean audit. */
  to: Schema.Literals(["HALTED", "WITHDRAWALS_BLOCKED", ...VenueStep.literals]),
  reason: Reason,
  /** What traders read in the refusals of a venue that is halted or takes cancels alone. `reason` is for operators alone. */
  public_reason: Schema.optionalKey(Reason)
}).annotate({ identifier: "ChangeVenueMode" })

export const VenueMode = Schema.Struct({
  trading: VenueTrading,
  withdrawals: VenueWithdrawals,
  /** `auditor`, the name of an operator, or `venue`: before the first change, and where withdrawals are BLOCKED for want of an audit. */
  changed_by: Schema.String,
  changed_at: Moment,
  reason: Schema.String,
  /** What traders read; `null` where the operator gave nothing. */
  public_reason: Schema.NullOr(Schema.String),
  /** The end of the last audit. While it is `null` or 30 s old, `withdrawals` is BLOCKED and `reason` says so. */
  audited_at: Schema.NullOr(Moment),
  /** What the last audit found in the books. */
  fault: Schema.NullOr(Schema.String),
  /** Where what a rail holds is not what the books say of it. */
  difference: Schema.NullOr(Schema.String)
}).annotate({ identifier: "VenueMode" })

export const VenueModeGroup = HttpApiGroup.make("venueMode")
  .add(
    HttpApiEndpoint.get("show", "/venue-mode", { success: VenueMode, error: ServiceUnavailable }),
    HttpApiEndpoint.post("change", "/venue-mode", {
      payload: ChangeVenueMode,
      success: VenueMode,
      error: [Conflict, ServiceUnavailable]
    })
  )
  .middleware(OperatorOnly)
