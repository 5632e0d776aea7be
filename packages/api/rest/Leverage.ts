/** `POST /user/leverage`: an account's leverage in one market. */
import type { LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { BadRequest, Conflict, GatewayTimeout, NotFound, type Problems, ServiceUnavailable } from "../Problem.ts"
import { NumberOrText, SchemaLink, SymbolName } from "../Body.ts"
import { gotNumber } from "../Fault.ts"
import { Authenticated } from "./Caller.ts"
import { operation } from "../Operation.ts"

/** Body of `POST /user/leverage`. */
export const SetUserLeverageRequestBody = Schema.Struct({
  $schema: SchemaLink,
  leverage: NumberOrText(Schema.Finite.check(Schema.isGreaterThan(0))).annotate({
    description: "New leverage: a whole number from 1 to the maximum leverage of the market.",
    examples: [5]
  }),
  symbol: SymbolName
}).annotate({ identifier: "SetUserLeverageRequestBody" })

/** Response body of `POST /user/leverage`. */
export const SetUserLeverageResponseBody = Schema.Struct({
  $schema: SchemaLink,
  leverage: Schema.Finite.annotate({ description: "Current leverage: the notional divided by the margin." })
}).annotate({ identifier: "SetUserLeverageResponseBody" })

export const LeverageGroup = HttpApiGroup.make("leverage")
  .add(
    HttpApiEndpoint.post("setLeverage", "/user/leverage", {
      payload: SetUserLeverageRequestBody,
      success: SetUserLeverageResponseBody,
      error: [BadRequest, NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Set leverage",
        "Sets the leverage of an account in one market. Refused with 400 if the market does not offer the " +
          "leverage, with 404 for an unknown symbol, and with 409 while the account has a position or open " +
          "orders in the market."
      )
    )
  )
  .middleware(Authenticated)

const levelFault = ({ leverage, maxLeverage }: NotALevel): string => {
  const near = Math.min(Math.max(Math.round(leverage), 1), maxLeverage)
  return `Expected a whole number from 1 to ${maxLeverage}${gotNumber(leverage, near)}.`
}

/** Returns the problem for a refused change of leverage. */
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
