/** What an operator puts into the reserve fund of a market (rule 9.10). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChosenId, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { PositiveUsd, usdMember } from "../Usd.ts"

/** It counts once for its id; the id with another amount is a conflict. */
export const TopUp = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  top_up_id: ChosenId,
  amount: usdMember(PositiveUsd, "Amount to add to the reserve fund"),
  reason: Reason
}).annotate({ identifier: "TopUp" })

export const ToppedUp = Schema.Struct({
  symbol: SymbolName,
  top_up_id: Schema.String,
  amount: Schema.Finite
}).annotate({ identifier: "ToppedUp" })

export const ReserveFundGroup = HttpApiGroup.make("reserveFund")
  .add(
    HttpApiEndpoint.post("topUp", "/reserve-fund", {
      payload: TopUp,
      success: ToppedUp,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(OperatorOnly)
