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
      "Mode to change to. `HALTED` and `WITHDRAWALS_BLOCKED` are always possible; the others must be taken in " +
      "order, each after a clean audit."
  }),
  reason: Reason,
  public_reason: Schema.optionalKey(
    Reason.annotate({
      description:
        "Reason that traders read in refusals while the venue is halted or cancel-only, 1 to 500 characters.",
      examples: ["Maintenance until 20:00 UTC"]
    })
  )
}).annotate({ identifier: "ChangeVenueMode" })

/** Mode of the whole venue. */
export const VenueMode = Schema.Struct({
  trading: VenueTrading.annotate({ description: "State of trading in the whole venue." }),
  withdrawals: VenueWithdrawals.annotate({ description: "State of withdrawals in the whole venue." }),
  changed_by: Schema.String.annotate({
    description:
      "Author of the last change: `auditor`, the name of an operator, or `venue` before the first change and " +
      "while no audit is recent."
  }),
  changed_at: Moment.annotate({ description: "Time of the last change, ISO 8601 in UTC." }),
  reason: Schema.String.annotate({ description: "Reason of the last change." }),
  public_reason: Schema.NullOr(Schema.String).annotate({
    description: "Reason that traders read; null if the operator gave none."
  }),
  audited_at: Schema.NullOr(Moment).annotate({
    description: "Time of the last audit, ISO 8601 in UTC; null before the first. No audit for 30 s blocks withdrawals."
  }),
  fault: Schema.NullOr(Schema.String).annotate({
    description: "Fault that the last audit found in the books; null for none."
  }),
  difference: Schema.NullOr(Schema.String).annotate({
    description: "Difference between the holdings of a rail and its books; null for none."
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
        "Halts the venue, blocks withdrawals, or takes one step back to normal. Refused with 409 if the step is " +
          "out of order or the last audit found a fault."
      )
    )
  )
  .middleware(OperatorOnly)
