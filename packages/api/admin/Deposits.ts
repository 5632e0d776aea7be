/** Money that came in and is nobody's: an operator says whose it is (rule 17). */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { DepositMethod } from "@venue/domain/Rail"
import * as Text from "@venue/domain/Text"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Moment, SchemaLink, Uuid } from "../Body.ts"
import { instant } from "../Digits.ts"
import { Conflict, NotFound, ServiceUnavailable } from "../Problem.ts"
import { ListCount } from "../rest/ListPage.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"

export const UnmatchedDeposit = Schema.Struct({
  deposit_id: Schema.String,
  method: DepositMethod,
  /** As it came: an address, or the message of a transfer. */
  sent_to: Schema.String,
  amount: Schema.Finite,
  detected_at: Moment
}).annotate({ identifier: "UnmatchedDeposit" })

/** The oldest come first; there are at most a thousand. */
export const UnmatchedList = Schema.Struct({ data: Schema.Array(UnmatchedDeposit), count: ListCount }).annotate({
  identifier: "UnmatchedList"
})

export const AssignDeposit = Schema.Struct({
  $schema: SchemaLink,
  deposit_id: Schema.String.check(Text.atLeast(1), Text.atMost(300)),
  user_id: Uuid,
  reason: Reason
}).annotate({ identifier: "AssignDeposit" })

/** A final one that is the venue's own: the books count it as that from then on. */
export const OwnDeposit = Schema.Struct({
  $schema: SchemaLink,
  deposit_id: AssignDeposit.fields.deposit_id,
  reason: Reason
}).annotate({ identifier: "OwnDeposit" })

export const DepositsGroup = HttpApiGroup.make("deposits")
  .add(
    HttpApiEndpoint.get("unmatched", "/deposits/unmatched", { success: UnmatchedList, error: ServiceUnavailable }),
    HttpApiEndpoint.post("assign", "/deposits/assign", {
      payload: AssignDeposit,
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, ServiceUnavailable]
    }).annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.post("own", "/deposits/own", {
      payload: OwnDeposit,
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, ServiceUnavailable]
    }).annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)

interface Unmatched {
  readonly depositId: string
  readonly method: DepositMethod
  readonly address: string
  readonly amount: bigint
  readonly detectedAtMillis: number
}

export const unmatchedDeposit = (deposit: Unmatched): typeof UnmatchedDeposit.Type => ({
  deposit_id: deposit.depositId,
  method: deposit.method,
  sent_to: deposit.address,
  amount: decimalOfMoney(deposit.amount),
  detected_at: instant(deposit.detectedAtMillis)
})
