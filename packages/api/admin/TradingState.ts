/** Trading states of markets, which an operator sets to trading, cancel-only or halted. */
import { OpenState, TradingState } from "@venue/domain/TradingState"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { RowCount, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason, Symbols } from "./Operator.ts"
import { operation } from "../Operation.ts"

/** Body of `POST /trading-state`. */
export const SetTradingState = Schema.Struct({
  $schema: SchemaLink,
  symbols: Symbols,
  state: OpenState.annotate({ description: "New trading state of the markets." }),
  reason: Reason
}).annotate({ identifier: "SetTradingState" })

/** Response body of `GET /trading-state` and `POST /trading-state`. */
export const TradingStates = Schema.Struct({
  data: Schema.Array(
    Schema.Struct({ symbol: SymbolName, state: TradingState.annotate({ description: "Trading state of the market." }) })
  ).annotate({ description: "Markets with their trading states." }),
  count: RowCount
}).annotate({ identifier: "TradingStates" })

export const TradingStateGroup = HttpApiGroup.make("tradingState")
  .add(
    HttpApiEndpoint.get("list", "/trading-state", { success: TradingStates }).annotateMerge(
      operation("List trading states", "Returns the trading state of every market.")
    ),
    HttpApiEndpoint.post("set", "/trading-state", {
      payload: SetTradingState,
      success: TradingStates,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    }).annotateMerge(
      operation(
        "Set trading states",
        "Sets the trading state of markets: `TRADING`, `CANCEL_ONLY` or `HALTED`. Refused with 404 for an " +
          "unknown symbol. Refused with 409 if a market is in settlement or delisted, would skip CANCEL_ONLY between " +
          "HALTED and TRADING, or has no fresh price for TRADING, or if the books do not balance."
      )
    )
  )
  .middleware(OperatorOnly)
