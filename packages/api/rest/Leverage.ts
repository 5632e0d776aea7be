/** `POST /user/leverage`: the level of one symbol. */
import type { LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { BadRequest, Conflict, GatewayTimeout, NotFound, type Problems, ServiceUnavailable } from "../Problem.ts"
import { NumberOrText, SchemaLink } from "../Body.ts"
import { gotNumber } from "../Fault.ts"
import { Authenticated } from "./Caller.ts"

export const SetUserLeverageRequestBody = Schema.Struct({
  $schema: SchemaLink,
  leverage: NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0))),
  symbol: Schema.String
}).annotate({ identifier: "SetUserLeverageRequestBody" })

export const SetUserLeverageResponseBody = Schema.Struct({
  $schema: SchemaLink,
  leverage: Schema.Finite
}).annotate({ identifier: "SetUserLeverageResponseBody" })

export const LeverageGroup = HttpApiGroup.make("leverage")
  .add(
    HttpApiEndpoint.post("setLeverage", "/user/leverage", {
      payload: SetUserLeverageRequestBody,
      success: SetUserLeverageResponseBody,
      error: [BadRequest, NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(Authenticated)

const levelFault = ({ leverage, maxLeverage }: NotALevel): string => {
  const near = Math.min(Math.max(Math.round(leverage), 1), maxLeverage)
  return `Expected a whole number from 1 to ${maxLeverage}${gotNumber(leverage, near)}.`
}

export const leverageRefused = (
  problems: Problems,
  refusal: UnknownSymbol | NotALevel | LeverageInUse
): BadRequest | NotFound | Conflict => {
  switch (refusal._tag) {
    case "UnknownSymbol":
      return problems.unknownSymbol(refusal.symbol)
    case "NotALevel":
      return problems.leverageNotAvailable(levelFault(refusal))
    case "LeverageInUse":
      return problems.leverageInUse(refusal.symbol)
  }
}
