/** Mode of the whole venue, which an operator restricts immediately and relaxes one step at a time. */
import { VenueStep, VenueTrading, VenueWithdrawals } from "@venue/domain/VenueMode"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Moment, SchemaLink } from "../Body.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Body of `POST /venue-mode`. */
export const ChangeVenueMode = Schema.Struct({
  $schema: SchemaLink,
  to: Schema.Literals(["HALTED", "WITHDRAWALS_BLOCKED", ...VenueStep.literals]).annotate({
    description:
      "New mode. `HALTED` and `WITHDRAWALS_BLOCKED` are always allowed. `CANCEL_ONLY`, `TRADING` and `WITHDRAWALS` " +
      "return the venue to normal operation; they are allowed only in this order, each after an audit without faults."
  }),
  reason: Reason,
  public_reason: Schema.optionalKey(
    Reason.annotate({
      description: "Reason shown to traders in refusals while the venue is halted or cancel-only, 1 to 500 characters.",
      examples: ["Maintenance until 20:00 UTC"]
    })
  )
}).annotate({ identifier: "ChangeVenueMode" })

/** Mode of the whole venue. */
export const VenueMode = Schema.Struct({
  trading: VenueTrading.annotate({ description: "Trading state of the whole venue." }),
  withdrawals: VenueWithdrawals.annotate({
    description: "State of withdrawals in the whole venue: `OPEN` or `BLOCKED`."
  }),
  changed_by: Schema.String.annotate({
    description:
      "Author of the last change: `auditor`, or the name of an operator; `venue` before the first change and " +
      "while the last audit is older than 30 s."
  }),
  changed_at: Moment.annotate({ description: "Time of the last change, ISO 8601 in UTC." }),
  reason: Schema.String.annotate({ description: "Reason for the last change." }),
  public_reason: Schema.NullOr(Schema.String).annotate({
    description: "Reason shown to traders; null if the operator gave no public reason."
  }),
  audited_at: Schema.NullOr(Moment).annotate({
    description:
      "Time of the last audit, ISO 8601 in UTC; null before the first audit. Withdrawals are blocked while the last audit is older than 30 s."
  }),
  fault: Schema.NullOr(Schema.String).annotate({
    description: "Fault that the last audit found in the books; null if it found no fault."
  }),
  difference: Schema.NullOr(Schema.String).annotate({
    description:
      "Explanation of the difference between a rail's holdings and its books; null if there is no difference."
  })
}).annotate({ identifier: "VenueMode", description: "Mode of the whole venue." })

export const VenueModeGroup = HttpApiGroup.make("venueMode")
  .add(
    HttpApiEndpoint.get("show", "/venue-mode", { success: VenueMode, error: ServiceUnavailable }).annotateMerge(
      operation(
        "Get the venue mode",
        "Returns the mode of the whole venue, the author of the last change and the result of the last audit."
      )
    ),
    HttpApiEndpoint.post("change", "/venue-mode", {
      payload: ChangeVenueMode,
      success: VenueMode,
      error: [Conflict, ServiceUnavailable]
    }).annotateMerge(
      operation(
        "Change the venue mode",
        "Halts the venue, blocks withdrawals, or returns the venue to normal operation, one mode at a time. Refused with 409 if the " +
          "new mode would skip another mode, if the last audit is too old or found a fault, or if a price is stale."
      )
    )
  )
  .middleware(OperatorOnly)
