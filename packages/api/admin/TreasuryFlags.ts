/** Flags on users and destinations: withdrawals are held for review if flagged, and stopped if frozen. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

const flag = {
  kind: Schema.Literals(["user", "address"]).annotate({
    description: "Kind of the subject: `user`, or `address` for a destination of withdrawals."
  }),
  subject: Schema.String.check(Text.atLeast(1), Text.atMost(128)).annotate({
    description: "Subject of the flag: user id, address on any network, or id of a bank account.",
    examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
  }),
  effect: Schema.Literals(["flagged", "frozen"]).annotate({
    description: "Effect on withdrawals: `flagged` holds them for review, `frozen` stops them."
  })
}

/** Body of `POST /treasury-flags` and `POST /treasury-flags/clear`. */
export const FlagNamed = Schema.Struct({ $schema: SchemaLink, ...flag, reason: Reason }).annotate({
  identifier: "FlagNamed"
})

/** Flag on a user or a destination. */
export const TreasuryFlag = Schema.Struct({
  ...flag,
  reason: Schema.String.annotate({ description: "Reason given by the operator." }),
  set_by: Schema.String.annotate({ description: "Name of the operator who set the flag." }),
  set_at: Moment.annotate({ description: "Time at which the flag was set, ISO 8601 in UTC." })
}).annotate({ identifier: "TreasuryFlag", description: "Flag on a user or a destination." })

/** Flags, newest first; at most 1,000. */
export const TreasuryFlagList = Schema.Struct({
  data: Schema.Array(TreasuryFlag).annotate({ description: "Flags, newest first; at most 1,000." }),
  count: RowCount
}).annotate({
  identifier: "TreasuryFlagList"
})

export const TreasuryFlagsGroup = HttpApiGroup.make("treasuryFlags")
  .add(
    HttpApiEndpoint.get("list", "/treasury-flags", {
      success: TreasuryFlagList,
      error: ServiceUnavailable
    }).annotateMerge(
      operation(
        "List treasury flags",
        "Returns the flags on users and destinations whose withdrawals are held for review or stopped."
      )
    ),
    HttpApiEndpoint.post("set", "/treasury-flags", {
      payload: FlagNamed,
      success: HttpApiSchema.NoContent,
      error: ServiceUnavailable
    })
      .annotateMerge(
        operation(
          "Set a treasury flag",
          "Holds withdrawals of a user or to a destination for review, or stops them. Requires the role `treasurer`."
        )
      )
      .annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.post("clear", "/treasury-flags/clear", {
      payload: FlagNamed,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Clear a treasury flag",
          "Removes a flag. Requires the role `treasurer`. Refused with 404 for an unknown flag."
        )
      )
      .annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)
