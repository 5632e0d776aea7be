/** `GET /deposits`: a user's deposits with their states. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { assets, type DepositMethod, DepositRail, isNetwork, Network, railOf } from "@venue/domain/Rail"
import type { StoredDepositReason } from "@venue/domain/TreasuryReason"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Rows, SchemaLink } from "../Body.ts"
import { instant as instantText } from "../Digits.ts"
import { instant, text, usd } from "../Member.ts"
import { described } from "../Parameter.ts"
import { BadRequest, ServiceUnavailable } from "../Problem.ts"
import { Authenticated } from "../rest/Caller.ts"
import { ListCount } from "../rest/ListPage.ts"
import { pageParameters, pageQuery } from "./TreasuryPage.ts"
import * as ReasonText from "./ReasonText.ts"
import { operation } from "../Operation.ts"

const Status = Schema.Literals(["DETECTED", "CONFIRMED", "CREDITED", "REVERSED"])

export const Deposit = Schema.Struct({
  id: text("Id of the deposit"),
  kind: Schema.Literals(["crypto", "fiat"]).annotate({
    description: "Kind of rail: `crypto` for a blockchain, `fiat` for a bank."
  }),
  amount: usd("Amount of the deposit"),
  asset: Schema.Literals(["USDC", "USDT", "USD"]).annotate({ description: "Asset that the user sent." }),
  network: Schema.optionalKey(Network.annotate({ description: "Network of the deposit; omitted for `fiat`." })),
  payment_rail: Schema.optionalKey(
    DepositRail.annotate({ description: "Payment rail of the bank transfer; omitted for `crypto`." })
  ),
  status: Status.annotate({
    description: "State of the deposit: detected, confirmed, credited to the account, or reversed."
  }),
  reason: Schema.NullOr(text("Reason why the deposit was not credited or was reversed; null for all other deposits")),
  tx_hash: Schema.NullOr(text("Hash of the transaction; null for `fiat`")),
  created_at: instant("Time at which the deposit was first seen"),
  credited_at: Schema.NullOr(instant("Time at which the account was credited", "; null until then"))
}).annotate({ identifier: "Deposit", description: "Deposit of a user." })

export const DepositsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: ListCount,
  data: Rows(Deposit).annotate({ description: "Deposits, newest first." })
}).annotate({ identifier: "DepositsResponseBody" })

export const DepositsGroup = HttpApiGroup.make("deposits")
  .add(
    HttpApiEndpoint.get("deposits", "/deposits", {
      query: pageQuery,
      success: DepositsResponseBody,
      error: [BadRequest, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "List deposits",
          "Returns the deposits of the user with their state, newest first. Refused with 400 for an offset " +
            "that is too large, and with 422 for a limit or offset that cannot be parsed."
        )
      )
      .annotate(OpenApi.Transform, described(pageParameters))
  )
  .middleware(Authenticated)

interface Recorded {
  readonly depositId: string
  readonly method: DepositMethod
  readonly amount: bigint
  readonly state: string
  readonly reason: StoredDepositReason | null
  readonly txHash: string
  readonly detectedAtMillis: number
  readonly creditedAtMillis: number | null
}

const isShown = Schema.is(Status)

/** Returns a deposit as users see it; empty for a DROPPED deposit. */
export const deposits = (row: Recorded): ReadonlyArray<typeof Deposit.Type> => {
  const { amount, creditedAtMillis, method, state } = row
  if (!isShown(state)) return []
  const isChain = isNetwork(method)
  return [
    {
      id: row.depositId,
      kind: isChain ? "crypto" : "fiat",
      amount: decimalOfMoney(amount),
      asset: assets[railOf(method)],
      ...(isChain ? { network: method } : { payment_rail: method }),
      status: state,
      reason: row.reason === null ? null : ReasonText.deposit(row.reason),
      tx_hash: isChain ? row.txHash : null,
      created_at: instantText(row.detectedAtMillis),
      credited_at: creditedAtMillis === null ? null : instantText(creditedAtMillis)
    }
  ]
}
