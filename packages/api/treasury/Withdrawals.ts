/** `GET /withdrawals`: what a user took out, and how far each has come. */
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

export const Withdrawal = Schema.Struct({
  id: uuid("Names the withdrawal"),
  kind: Schema.Literals(["crypto", "fiat"]),
  amount: usd("Taken from the account"),
  fee: usd("Kept by the venue"),
  net_amount: usd("What arrives"),
  network: Schema.optionalKey(Network),
  payment_rail: Schema.optionalKey(PayoutRail),
  destination: text("An address, or the last digits of a bank account's number"),
  status: WithdrawalState,
  blocked: truth("It stays queued, since the user, the destination or a deposit of the user is looked at"),
  tx_hash: Schema.NullOr(text("It is in the chain, or about to be, under this hash")),
  created_at: instant("It was accepted then"),
  updated_at: instant("It came into this status then")
}).annotate({ identifier: "Withdrawal" })

export const WithdrawalsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: ListCount,
  data: Rows(Withdrawal)
}).annotate({ identifier: "WithdrawalsResponseBody" })

export const WithdrawalsGroup = HttpApiGroup.make("withdrawals")
  .add(
    HttpApiEndpoint.get("withdrawals", "/withdrawals", {
      query: pageQuery,
      success: WithdrawalsResponseBody,
      error: [BadRequest, ServiceUnavailable]
    }).annotate(OpenApi.Transform, described(pageParameters))
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

/** The destination comes as it is shown. */
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
