/** The venue's own money on its rails: an operator says what was put there or taken, so that the books know of it. */
import { RailName } from "@venue/domain/Rail"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SchemaLink, ChosenId } from "../Body.ts"
import { Conflict, ServiceUnavailable } from "../Problem.ts"
import { NeededRole, OperatorOnly, Reason } from "./Operator.ts"
import { usdChange } from "../Usd.ts"

/** It counts once for its id; the id with another amount, or of another rail, is a conflict. It moves no money itself. */
export const OwnMoney = Schema.Struct({
  $schema: SchemaLink,
  own_money_id: ChosenId,
  rail: RailName,
  amount: usdChange("Money of the venue that was put on the rail, or taken from it where negative"),
  reason: Reason
}).annotate({ identifier: "OwnMoney" })

export const OwnMoneyTold = Schema.Struct({
  own_money_id: Schema.String,
  rail: RailName,
  amount: Schema.Finite
}).annotate({ identifier: "OwnMoneyTold" })

export const OwnMoneyGroup = HttpApiGroup.make("ownMoney")
  .add(
    HttpApiEndpoint.post("tell", "/own-money", {
      payload: OwnMoney,
      success: OwnMoneyTold,
      error: [Conflict, ServiceUnavailable]
    }).annotate(NeededRole, "treasurer")
  )
  .middleware(OperatorOnly)
