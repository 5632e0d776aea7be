/** What an operator lets into markets: everything, cancels alone, or nothing. */
import { OpenState, TradingState } from "@venue/domain/TradingState"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { RowCount, SchemaLink, SymbolName } from "../Body.ts"
import { Conflict, GatewayTimeout, NotFound, ServiceUnavailable } from "../Problem.ts"
import { OperatorOnly, Reason, Symbols } from "./Operator.ts"

export const SetTradingState = Schema.Struct({
  $schema: SchemaLink,
  symbols: Symbols,
  state: OpenState,
  reason: Reason
}).annotate({ identifier: "SetTradingState" })

export const TradingStates = Schema.Struct({
  data: Schema.Array(Schema.Struct({ symbol: SymbolName, state: TradingState })),
  count: RowCount
}).annotate({ identifier: "TradingStates" })

export const TradingStateGroup = HttpApiGroup.make("tradingState")
  .add(
    HttpApiEndpoint.get("list", "/trading-state", { success: TradingStates }),
    HttpApiEndpoint.post("set", "/trading-state", {
      payload: SetTradingState,
      success: TradingStates,
      error: [NotFound, Conflict, ServiceUnavailable, GatewayTimeout]
    })
  )
  .middleware(OperatorOnly)
