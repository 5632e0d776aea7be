/** Order previews. The desk computes the margin and the checks, and the market computes the fills. */
import { Effect } from "effect"
import type { MarketClient } from "../../../clients/MarketClient.ts"
import type { RateLimited, Previewed, PreviewRead } from "../../../protocol/Desk.ts"
import type { Unavailable } from "../../../protocol/Market.ts"
import type { Submissions } from "./Submissions.ts"
import type { TraderCalls } from "../traders/TraderCalls.ts"

/** Fails with `Unavailable` while the market or the trader moves to another node. The caller can retry. */
export const make =
  (
    { read }: Pick<TraderCalls, "read">,
    { refusalOf }: Pick<Submissions, "refusalOf">,
    markets: Pick<MarketClient["Service"], "preview">
  ) =>
  ({ request, ...target }: PreviewRead): Effect.Effect<Previewed, Unavailable | RateLimited> =>
    Effect.flatMap(
      // A single read, so that held and free margin are from the same moment.
      read(target, (trader) => refusalOf(trader, request) ?? trader.preview(request)),
      (result): Effect.Effect<Previewed, Unavailable> => {
        if (!("_tag" in result)) {
          const { command, preview: trader } = result
          const market = markets.preview(request.symbol, command)
          return Effect.map(market, (market): Previewed => ({ _tag: "Previewed", trader, market }))
        }
        return Effect.succeed(result._tag === "BadSymbol" ? { _tag: "BadSymbol" } : result)
      }
    )
