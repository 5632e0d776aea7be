/** `POST /withdraw` and `/fiat-withdraw`: money leaves the primary account, whatever became of it before the answer. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NumberOrText, SchemaLink } from "../Body.ts"
import { expecting } from "../Expected.ts"
import { BadRequest, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Authenticated } from "../rest/Caller.ts"
import { CurrencyName, NetworkName, PayoutRailName } from "./Word.ts"

/** The endpoints look at it: what cannot be moved so is 400. */
const amount = NumberOrText(
  expecting(
    Schema.Finite.annotate({ description: "In USD; it is taken from the account, and the fee out of it." }),
    "a number above 0"
  )
)

export const WithdrawRequestBody = Schema.Struct({
  $schema: SchemaLink,
  amount,
  address: Schema.String.annotate({ description: "Of the network, which sends to no other." }),
  network: Schema.optionalKey(NetworkName)
}).annotate({ identifier: "WithdrawRequestBody" })

export const FiatWithdrawRequestBody = Schema.Struct({
  $schema: SchemaLink,
  amount,
  currency: CurrencyName,
  payment_rail: PayoutRailName,
  account_id: Schema.String.annotate({ description: "The id of a linked bank account." })
}).annotate({ identifier: "FiatWithdrawRequestBody" })

export const WithdrawGroup = HttpApiGroup.make("withdraw")
  .add(
    HttpApiEndpoint.post("withdraw", "/withdraw", {
      headers: repeatable,
      payload: WithdrawRequestBody,
      success: Repeated(HttpApiSchema.Empty(200)),
      error: [BadRequest, ServiceUnavailable, GatewayTimeout]
    }),
    HttpApiEndpoint.post("fiatWithdraw", "/fiat-withdraw", {
      headers: repeatable,
      payload: FiatWithdrawRequestBody,
      success: Repeated(HttpApiSchema.Empty(200)),
      error: [BadRequest, NotFound, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(Authenticated)
