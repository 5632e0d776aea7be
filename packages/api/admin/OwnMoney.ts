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
 * Records a movement of the venue's own money once for each id. The same id with a different amount or rail is a
 * conflict. The request itself moves no money.
 */
export const OwnMoney = Schema.Struct({
  $schema: SchemaLink,
  own_money_id: ChosenId.annotate({
    description: "Id of the entry, chosen by the operator; a repeat with the same id changes nothing.",
    examples: ["6c9d0e2f-4a77-4f0e-8b1a-e41c7a903d52"]
  }),
  rail: RailName.annotate({ description: "Rail that holds the money." }),
  amount: usdChange("Money of the venue that was put on the rail; negative for money taken from it"),
  reason: Reason
}).annotate({ identifier: "OwnMoney" })

/** Response body of `POST /own-money`. */
export const OwnMoneyEntry = Schema.Struct({
  own_money_id: Schema.String.annotate({ description: "Id of the entry." }),
  rail: RailName.annotate({ description: "Rail that holds the money." }),
  amount: Schema.Finite.annotate({ description: "Amount, in USD; negative if it was taken." })
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
          "Book own money",
          "Books money of the venue that was put on a rail or taken from it. It moves no money. Needs the role " +
            "treasurer. Refused with 409 for an id with another amount or rail."
        )
      )
      .annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)
