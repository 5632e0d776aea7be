/** `POST /user/transfer`: transfer between two of a user's accounts. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import type { InsufficientBalance } from "@venue/domain/Trader"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SchemaLink, Uuid } from "../Body.ts"
import { gotNumber } from "../Fault.ts"
import { BadRequest, GatewayTimeout, type Problems, ServiceUnavailable } from "../Problem.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { PositiveUsd, usdMember } from "../Usd.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** Body of `POST /user/transfer`. */
export const TransferRequestBody = Schema.Struct({
  $schema: SchemaLink,
  amount: usdMember(PositiveUsd, "Amount to move between the accounts")
}).annotate({ identifier: "TransferRequestBody" })

export const TransferGroup = HttpApiGroup.make("transfer")
  .add(
    HttpApiEndpoint.post("transfer", "/user/transfer", {
      headers: repeatable,
      query: {
        src_account_id: Uuid.annotate({
          description: "Id of the source account.",
          examples: ["3b0a6f7e-51c4-4a52-9d0b-6a1f2c7e9d10"]
        }),
        dst_account_id: Uuid.annotate({
          description: "Id of the destination account.",
          examples: ["8d2f1b6c-3a4e-4f70-9b1d-5e6c7a8b9c0d"]
        })
      },
      payload: TransferRequestBody,
      success: Repeated(HttpApiSchema.NoContent),
      error: [BadRequest, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Transfer between accounts",
        "Moves money between two accounts of the user, immediately and without a fee. Refused with 400 if the " +
          "source account cannot release the amount or both accounts are the same, with 403 if an account does not " +
          "belong to the user, and with 503 if the state of a market cannot be read in time."
      )
    )
  )
  .middleware(Authenticated)

/** Returns the problem for a transfer of more than the source account can release; it states the maximum. */
export const transferRefused = (problems: Problems, { required, withdrawable }: InsufficientBalance): BadRequest => {
  const [amount, most] = [decimalOfMoney(required), decimalOfMoney(withdrawable)]
  const near = most > 0 ? most : undefined
  const message = `Expected at most ${most} USD, the maximum that the account can release${gotNumber(amount, near)}`
  return problems.insufficientBalance("body.amount", message, amount)
}
