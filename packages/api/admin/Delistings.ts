/** Delisting of a contract, which irrevocably closes all its positions at one price (rule 19.3). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Irrevocably delists a symbol that does not trade. */
export const Delist = Schema.Struct({ $schema: SchemaLink, symbol: SymbolName, reason: Reason }).annotate({
  identifier: "Delist"
})

/** Response body of `POST /delistings`. */
export const DelistingTaken = Schema.Struct({
  symbol: SymbolName,
  state: Schema.Literals(["IN_SETTLEMENT", "DELISTED"]).annotate({
    description: "State of the market: `IN_SETTLEMENT` until the last position is closed, then `DELISTED`."
  }),
  settlement_price: Schema.NullOr(Schema.Finite).annotate({
    description: "Price at which all positions are closed, in USD per base unit; null if the market never had a price."
  })
}).annotate({ identifier: "DelistingTaken" })

export const DelistingsGroup = HttpApiGroup.make("delistings")
  .add(
    HttpApiEndpoint.post("delist", "/delistings", {
      payload: Delist,
      success: DelistingTaken,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Delist a contract",
        "Closes all positions of a market at one price and delists the market permanently. Refused with 404 for an " +
          "unknown symbol, and with 409 while the market is in the state TRADING."
      )
    )
  )
  .middleware(OperatorOnly)
