/** Direct calls to a market's node, without the cluster library's shard lookup and acknowledgement of each row. */
import { TraderCommand } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Unavailable, Watched } from "./Market.ts"

/** Both calls fail with `Unavailable` if the node does not own the market. */
export const NodeCalls = RpcGroup.make(
  Rpc.make("WatchMarket", { payload: { symbol: MarketSymbol }, success: Watched, error: Unavailable, stream: true }),
  /** Returns once the decisions on all commands are committed; the outcomes are in the market's log. */
  Rpc.make("SubmitToMarket", {
    payload: { symbol: MarketSymbol, commands: Schema.Array(TraderCommand) },
    error: Unavailable
  })
)
