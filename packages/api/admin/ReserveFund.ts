/** An operator's top-ups of a market's reserve fund (rule 9.10). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { ChosenId, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { PositiveUsd, usdMember } from "../Usd.ts"
import { operation } from "../Operation.ts"

/** Tops up a reserve fund. Each id is executed only once: the same id with a different amount is a conflict. */
export const TopUp = Schema.Struct({
  $schema: SchemaLink,
  symbol: SymbolName,
  top_up_id: ChosenId.annotate({
    description:
      "Id of the top-up, a UUID chosen by the operator. A second request with the same values changes nothing.",
    examples: ["6c9d0e2f-4a77-4f0e-8b1a-e41c7a903d52"]
  }),
  amount: usdMember(PositiveUsd, "Amount to add to the reserve fund"),
  reason: Reason
}).annotate({ identifier: "TopUp" })

/** Response body of `POST /reserve-fund`. */
export const ToppedUp = Schema.Struct({
  symbol: SymbolName,
  top_up_id: Schema.String.annotate({ description: "Id of the top-up." }),
  amount: Schema.Finite.annotate({ description: "Amount added, in USD." })
}).annotate({ identifier: "ToppedUp" })

export const ReserveFundGroup = HttpApiGroup.make("reserveFund")
  .add(
    HttpApiEndpoint.post("topUp", "/reserve-fund", {
      payload: TopUp,
      success: ToppedUp,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Top up a reserve fund",
        "Adds the venue's money to a market's reserve fund, once for each id. Refused with 404 for an unknown " +
          "symbol, and with 409 if the id was already used with another amount."
      )
    )
  )
  .middleware(OperatorOnly)
