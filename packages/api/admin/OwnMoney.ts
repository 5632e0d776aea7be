/** The venue's own money on its rails; an operator records each movement in the books. */
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SchemaLink, ChosenId } from "../Body.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
import { usdChange } from "../Usd.ts"
import { operation } from "../Operation.ts"

/**
 * Records a movement of the venue's own money. Each id is recorded only once: the same id with a different amount or
 * rail is a conflict. The request itself moves no money.
 */
export const OwnMoney = Schema.Struct({
  $schema: SchemaLink,
  own_money_id: ChosenId.annotate({
    description:
      "Id of the entry, a UUID chosen by the operator. A second request with the same values changes nothing.",
    examples: ["6c9d0e2f-4a77-4f0e-8b1a-e41c7a903d52"]
  }),
  rail: RailName.annotate({ description: "Rail that holds the money." }),
  amount: usdChange("Amount of the venue's own money moved onto the rail (negative if taken from the rail)"),
  reason: Reason
}).annotate({ identifier: "OwnMoney" })

/** Response body of `POST /own-money`. */
export const OwnMoneyEntry = Schema.Struct({
  own_money_id: Schema.String.annotate({ description: "Id of the entry." }),
  rail: RailName.annotate({ description: "Rail that holds the money." }),
  amount: Schema.Finite.annotate({
    description: "Amount moved onto the rail, in USD; negative if taken from the rail."
  })
}).annotate({ identifier: "OwnMoneyEntry" })

export const OwnMoneyGroup = HttpApiGroup.make("ownMoney")
  .add(
    HttpApiEndpoint.post("tell", "/own-money", {
      payload: OwnMoney,
      success: OwnMoneyEntry,
      error: [Conflict, ServiceUnavailable]
    })
      .annotateMerge(
        operation(
          "Record the venue's own money",
          "Records in the books that the venue's own money was moved onto a rail or taken from it. The request " +
            "itself moves no money. Requires the role `treasurer`. Refused with 409 if the id is already recorded with " +
            "another amount or rail."
        )
      )
      .annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)
