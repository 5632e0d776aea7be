/** Unmatched deposits, which an operator assigns to a user or books as the venue's own (rule 17). */
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
import { operation } from "../Operation.ts"

/** Deposit that belongs to no user. */
export const UnmatchedDeposit = Schema.Struct({
  deposit_id: Schema.String.annotate({ description: "Id of the deposit." }),
  method: DepositMethod.annotate({ description: "Blockchain network or bank payment rail of the deposit." }),
  sent_to: Schema.String.annotate({ description: "Receiving address on a chain, or message of a bank transfer." }),
  amount: Schema.Finite.annotate({ description: "Amount, in USD." }),
  detected_at: Moment.annotate({ description: "Time of detection, ISO 8601 in UTC." })
}).annotate({ identifier: "UnmatchedDeposit", description: "Deposit that belongs to no user." })

/** Unmatched deposits, oldest first; at most 1,000. */
export const UnmatchedList = Schema.Struct({
  data: Schema.Array(UnmatchedDeposit).annotate({ description: "Unmatched deposits, oldest first; at most 1,000." }),
  count: ListCount
}).annotate({
  identifier: "UnmatchedList"
})

/** Body of `POST /deposits/assign`. */
export const AssignDeposit = Schema.Struct({
  $schema: SchemaLink,
  deposit_id: Schema.String.check(Text.atLeast(1), Text.atMost(300)).annotate({
    description: "Id of the deposit.",
    examples: ["BANK:20260302-000017"]
  }),
  user_id: Uuid.annotate({
    description: "Id of the user to credit.",
    examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
  }),
  reason: Reason
}).annotate({ identifier: "AssignDeposit" })

/** Books a final unmatched deposit as the venue's own money. */
export const OwnDeposit = Schema.Struct({
  $schema: SchemaLink,
  deposit_id: AssignDeposit.fields.deposit_id,
  reason: Reason
}).annotate({ identifier: "OwnDeposit" })

export const DepositsGroup = HttpApiGroup.make("deposits")
  .add(
    HttpApiEndpoint.get("unmatched", "/deposits/unmatched", {
      success: UnmatchedList,
      error: ServiceUnavailable
    }).annotateMerge(operation("List unmatched deposits", "Returns deposits that belong to no user, oldest first.")),
    HttpApiEndpoint.post("assign", "/deposits/assign", {
      payload: AssignDeposit,
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Assign a deposit",
          "Credits an unmatched deposit to a user. Requires the role `treasurer`. Refused with 404 for an unknown " +
            "deposit or user, and with 409 if the deposit is not CONFIRMED or already has an owner."
        )
      )
      .annotate(NeededRole, "treasurer"),
    HttpApiEndpoint.post("own", "/deposits/own", {
      payload: OwnDeposit,
      success: HttpApiSchema.NoContent,
      error: [NotFound, Conflict, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Book a deposit as the venue's own money",
          "Books a final unmatched deposit as the venue's own money. Requires the role `treasurer`. Refused with 404 " +
            "for an unknown deposit, and with 409 if the deposit is not final yet or already has an owner."
        )
      )
      .annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)

interface Unmatched {
  readonly depositId: string
  readonly method: DepositMethod
  readonly address: string
  readonly amount: bigint
  readonly detectedAtMillis: number
}

/** Converts an unmatched deposit to its wire format. */
export const unmatchedDeposit = (deposit: Unmatched): typeof UnmatchedDeposit.Type => ({
  deposit_id: deposit.depositId,
  method: deposit.method,
  sent_to: deposit.address,
  amount: decimalOfMoney(deposit.amount),
  detected_at: instant(deposit.detectedAtMillis)
})
