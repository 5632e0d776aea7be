/**
 * What one node asks of another beside the entities, of what it knows to be there: no place is looked up, and a stream waits
 * for no call that each of its rows is acknowledged with.
 */
import { TraderCommand } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { Unavailable, Watched } from "./Market.ts"

/** A market that is not there is unavailable. */
export const NodeCalls = RpcGroup.make(
  Rpc.make("WatchMarket", { payload: { symbol: MarketSymbol }, success: Watched, error: Unavailable, stream: true }),
  /** Answers once everything asked is committed; outcomes travel by the log. */
  Rpc.make("SubmitToMarket", {
    payload: { symbol: MarketSymbol, commands: Schema.Array(TraderCommand) },
    error: Unavailable
  })
)
