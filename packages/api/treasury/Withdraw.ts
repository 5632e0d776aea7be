/** `POST /withdraw` and `POST /fiat-withdraw`: withdrawals from the primary account. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NumberOrText, SchemaLink } from "../Body.ts"
import { expecting } from "../Expected.ts"
import { BadRequest, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { Repeated, repeatable } from "../Repeatable.ts"
import { Authenticated } from "../rest/Caller.ts"
import { CurrencyName, NetworkName, PayoutRailName } from "./Word.ts"
import { operation } from "../Operation.ts"

/** Returns the schema of an amount. The endpoints check its bounds, which depend on the rail, and refuse with 400. */
const amount = (description: string) =>
  NumberOrText(expecting(Schema.Finite, "a number above 0")).annotate({ description, examples: [100] })

export const WithdrawRequestBody = Schema.Struct({
  $schema: SchemaLink,
  amount: amount(
    "Amount to withdraw, in USD with at most six decimals, fee included: at least 5 on ARBITRUM_ONE (fee 1), " +
      "at least 10 on TRON (fee 3)."
  ),
  address: Schema.String.annotate({
    description: "Address on the network to send the money to.",
    examples: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]
  }),
  network: Schema.optionalKey(
    NetworkName.annotate({
      description: "Network to send the money on: `ARBITRUM_ONE` or `TRON`. Default: `ARBITRUM_ONE`."
    })
  )
}).annotate({ identifier: "WithdrawRequestBody" })

export const FiatWithdrawRequestBody = Schema.Struct({
  $schema: SchemaLink,
  amount: amount(
    "Amount to withdraw, in USD with at most two decimals, fee included: at least 10 by ach_push (fee 1), " +
      "above the fee of 25 by wire."
  ),
  currency: CurrencyName,
  payment_rail: PayoutRailName,
  account_id: Schema.String.annotate({ description: "The id of a linked bank account." }).annotate({
    description: "Id of a linked bank account.",
    examples: ["0b9f0f5e-58f4-4e0b-9a53-7c1f6b6a1d20"]
  })
}).annotate({ identifier: "FiatWithdrawRequestBody" })

export const WithdrawGroup = HttpApiGroup.make("withdraw")
  .add(
    HttpApiEndpoint.post("withdraw", "/withdraw", {
      headers: repeatable,
      payload: WithdrawRequestBody,
      success: Repeated(HttpApiSchema.Empty(200)),
      error: [BadRequest, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Withdraw to a chain",
        "Debits the primary account and sends the amount less the fee to an address. The answer is 200 once " +
          "the withdrawal is accepted; `GET /withdrawals` has its state. Refused with 400 for an amount below " +
          "the minimum or above the balance or an address that is not valid, and with 503 while withdrawals are " +
          "blocked."
      )
    ),
    HttpApiEndpoint.post("fiatWithdraw", "/fiat-withdraw", {
      headers: repeatable,
      payload: FiatWithdrawRequestBody,
      success: Repeated(HttpApiSchema.Empty(200)),
      error: [BadRequest, NotFound, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Withdraw to a bank account",
        "Debits the primary account and sends the amount less the fee to a linked bank account. The answer is " +
          "200 once the withdrawal is accepted; `GET /withdrawals` has its state. Refused with 400 for an amount " +
          "below the minimum of 10 or above the balance, and for a linked account whose details are not valid now " +
          "(link it again), with 404 for an unknown bank account, and with 503 while withdrawals are blocked or no " +
          "bank is connected."
      )
    )
  )
  .middleware(Authenticated)
