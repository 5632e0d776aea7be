/** `GET /deposits`: what came in for a user, and how far each has come. */
import { decimalOfMoney } from "@venue/domain/Decimal"
import { assets, type DepositMethod, DepositRail, isNetwork, Network, railOf } from "@venue/domain/Rail"
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

const Status = Schema.Literals(["DETECTED", "CONFIRMED", "CREDITED", "REVERSED"])

export const Deposit = Schema.Struct({
  id: text("Names the deposit"),
  kind: Schema.Literals(["crypto", "fiat"]),
  amount: usd("What came"),
  asset: Schema.Literals(["USDC", "USDT", "USD"]),
  network: Schema.optionalKey(Network),
  payment_rail: Schema.optionalKey(DepositRail),
  status: Status,
  reason: Schema.NullOr(text("Why it is not credited, or was reversed")),
  tx_hash: Schema.NullOr(text("It is in the chain under this hash")),
  created_at: instant("It was first seen then"),
  credited_at: Schema.NullOr(instant("The account has it since then"))
}).annotate({ identifier: "Deposit" })

export const DepositsResponseBody = Schema.Struct({
  $schema: SchemaLink,
  count: ListCount,
  data: Rows(Deposit)
}).annotate({ identifier: "DepositsResponseBody" })

export const DepositsGroup = HttpApiGroup.make("deposits")
  .add(
    HttpApiEndpoint.get("deposits", "/deposits", {
      query: pageQuery,
      success: DepositsResponseBody,
      error: [BadRequest, ServiceUnavailable]
    }).annotate(OpenApi.Transform, described(pageParameters))
  )
  .middleware(Authenticated)

interface Recorded {
  readonly depositId: string
  readonly method: DepositMethod
  readonly amount: bigint
  readonly state: string
  readonly reason: string | null
  readonly txHash: string
  readonly detectedAtMillis: number
  readonly creditedAtMillis: number | null
}

const isShown = Schema.is(Status)

/** Nothing for one in a state that is shown to nobody. */
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
      reason: row.reason,
      tx_hash: isChain ? row.txHash : null,
      created_at: instantText(row.detectedAtMillis),
      credited_at: creditedAtMillis === null ? null : instantText(creditedAtMillis)
    }
  ]
}
