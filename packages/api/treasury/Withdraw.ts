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
    "Amount to withdraw, including the fee, in USD with at most six decimals. ARBITRUM_ONE: at least 5 USD, with a fee " +
      "of 1 USD. TRON: at least 10 USD, with a fee of 3 USD."
  ),
  address: Schema.String.annotate({
    description: "Destination address on the network.",
    examples: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]
  }),
  network: Schema.optionalKey(
    NetworkName.annotate({
      description: "Network of the withdrawal: `ARBITRUM_ONE` or `TRON`. Default: `ARBITRUM_ONE`."
    })
  )
}).annotate({ identifier: "WithdrawRequestBody" })

export const FiatWithdrawRequestBody = Schema.Struct({
  $schema: SchemaLink,
  amount: amount(
    "Amount to withdraw, including the fee, in USD with at most two decimals. ach_push: at least 10 USD, with a fee of " +
      "1 USD. wire: more than the fee of 25 USD."
  ),
  currency: CurrencyName,
  payment_rail: PayoutRailName,
  account_id: Schema.String.annotate({ description: "Id of a linked bank account." }).annotate({
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
        "Debits the primary account and sends the amount minus the fee to an address. Returns 200 once the " +
          "withdrawal is accepted; `GET /withdrawals` returns its state. Refused with 400 for an invalid address " +
          "and for an amount below the minimum or above the balance, and with 503 while withdrawals are blocked."
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
        "Debits the primary account and sends the amount minus the fee to a linked bank account. Returns 200 once " +
          "the withdrawal is accepted; `GET /withdrawals` returns its state. Refused with 400 for an amount below the " +
          "minimum or above the balance and for a linked account whose details are no longer valid (link the account " +
          "again), with 404 for an unknown bank account, and with 503 while withdrawals are blocked or no bank is " +
          "connected."
      )
    )
  )
  .middleware(Authenticated)
