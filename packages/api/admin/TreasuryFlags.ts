/** What is held against users and addresses: withdrawals of flagged ones are reviewed, those of frozen ones do not leave. */
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, RowCount, SchemaLink } from "../Body.ts"
import { NotFound, ServiceUnavailable } from "../Problem.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"

const flag = {
  kind: Schema.Literals(["user", "address"]),
  /** A user's id; or an address of any network, in any letter case that users may write, or a bank account's id. */
  subject: Schema.String.check(Text.atLeast(1), Text.atMost(128)),
  effect: Schema.Literals(["flagged", "frozen"])
}

export const FlagNamed = Schema.Struct({ $schema: SchemaLink, ...flag, reason: Reason }).annotate({
  identifier: "FlagNamed"
})

export const TreasuryFlag = Schema.Struct({
  ...flag,
  reason: Schema.String,
  set_by: Schema.String,
  set_at: Moment
}).annotate({ identifier: "TreasuryFlag" })

/** The newest come first; there are at most a thousand. */
export const TreasuryFlagList = Schema.Struct({ data: Schema.Array(TreasuryFlag), count: RowCount }).annotate({
  identifier: "TreasuryFlagList"
})

export const TreasuryFlagsGroup = HttpApiGroup.make("treasuryFlags")
  .add(
    HttpApiEndpoint.get("list", "/treasury-flags", { success: TreasuryFlagList, error: ServiceUnavailable }),
    HttpApiEndpoint.post("set", "/treasury-flags", {
      payload: FlagNamed,
      success: HttpApiSchema.NoContent,
      error: ServiceUnavailable
    }).annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.post("clear", "/treasury-flags/clear", {
      payload: FlagNamed,
      success: HttpApiSchema.NoContent,
      error: [NotFound, ServiceUnavailable]
    }).annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)
