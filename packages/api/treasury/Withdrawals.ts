/** `GET /withdrawals`: a user's withdrawals with their states. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { PayoutRail, Network, type WithdrawalMethod } from "@venue/domain/Rail"
import { WithdrawalState } from "@venue/domain/Withdrawal"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import { instant as instantText } from "../Digits.ts"
import { instant, text, truth, usd, uuid } from "../Member.ts"
import { described } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { ListCount } from "../rest/ListPage.ts"
import { pageParameters, pageQuery } from "./TreasuryPage.ts"
import { operation } from "../Operation.ts"

export const Withdrawal = Schema.Struct({
  id: uuid("Id of the withdrawal"),
  kind: Schema.Literals(["crypto", "fiat"]).annotate({
    description: "Kind of rail: `crypto` for a blockchain, `fiat` for a bank."
  }),
  amount: usd("Amount debited from the account, including the fee"),
  fee: usd("Fee, included in `amount`"),
  net_amount: usd("Amount paid to the destination: `amount` minus `fee`"),
  network: Schema.optionalKey(Network.annotate({ description: "Network of the withdrawal; omitted for `fiat`." })),
  payment_rail: Schema.optionalKey(
    PayoutRail.annotate({ description: "Payment rail of the bank transfer; omitted for `crypto`." })
  ),
  destination: text("Destination address, or the last digits of the bank account number"),
  status: WithdrawalState.annotate({ description: "State of the withdrawal." }),
  blocked: truth(
    "Whether the withdrawal stays queued because the operator reviews the user, the destination or a deposit"
  ),
  tx_hash: Schema.NullOr(text("Hash of the transaction; null until the transaction is signed, and always for `fiat`")),
  created_at: instant("Time at which the withdrawal was accepted"),
  updated_at: instant("Time of the last change of state")
}).annotate({ identifier: "Withdrawal", description: "Withdrawal of a user." })

export const WithdrawalsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: ListCount,
  data: Rows(Withdrawal).annotate({ description: "Withdrawals, newest first." })
}).annotate({ identifier: "WithdrawalsResponseBody" })

export const WithdrawalsGroup = HttpApiGroup.make("withdrawals")
  .add(
    HttpApiEndpoint.get("withdrawals", "/withdrawals", {
      query: pageQuery,
      success: WithdrawalsResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List withdrawals",
          "Returns the withdrawals of the user with their state, newest first. Refused with 400 for an offset " +
            "that is too large, and with 422 for a limit or offset that cannot be parsed."
        )
      )
      .annotate(OpenApi.Transform, described(pageParameters))
  )
  .middleware(Authenticated)

interface Recorded {
  readonly withdrawalId: string
  readonly method: WithdrawalMethod
  readonly amount: bigint
  readonly fee: bigint
  readonly state: WithdrawalState
  readonly isBlocked: boolean
  readonly reference: string | null
  readonly createdAtMillis: number
  readonly updatedAtMillis: number
}

/** Returns a withdrawal as users see it; `destination` is the shown form: an address or a masked account. */
export const withdrawal = (row: Recorded, destination: string): typeof Withdrawal.Type => {
  const { amount, fee, method } = row
  const isBank = method === "ach_push" || method === "wire"
  return {
    id: row.withdrawalId,
    kind: isBank ? "fiat" : "crypto",
    amount: decimalOfMoney(amount),
    fee: decimalOfMoney(fee),
    net_amount: decimalOfMoney(amount - fee),
    ...(isBank ? { payment_rail: method } : { network: method }),
    destination,
    status: row.state,
    blocked: row.state === "QUEUED" && row.isBlocked,
    tx_hash: isBank ? null : row.reference,
    created_at: instantText(row.createdAtMillis),
    updated_at: instantText(row.updatedAtMillis)
  }
}
