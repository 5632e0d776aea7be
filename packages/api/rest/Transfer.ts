/** `POST /user/transfer`: money from one account of a user to another. */
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

export const TransferRequestBody = Schema.Struct({
  $schema: SchemaLink,
  amount: usdMember(PositiveUsd, "Amount to move between the accounts")
}).annotate({ identifier: "TransferRequestBody" })

export const TransferGroup = HttpApiGroup.make("transfer")
  .add(
    HttpApiEndpoint.post("transfer", "/user/transfer", {
      headers: repeatable,
      query: { src_account_id: Uuid, dst_account_id: Uuid },
      payload: TransferRequestBody,
      success: Repeated(HttpApiSchema.NoContent),
      error: [BadRequest, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(Authenticated)

/** Names the most that could have been taken. */
export const transferRefused = (problems: Problems, { required, withdrawable }: InsufficientBalance): BadRequest => {
  const [asked, most] = [decimalOfMoney(required), decimalOfMoney(withdrawable)]
  const message = `Expected no more than the account can give up, ${most}${gotNumber(asked, most > 0 ? most : undefined)}`
  return problems.insufficientBalance("body.amount", message, asked)
}
