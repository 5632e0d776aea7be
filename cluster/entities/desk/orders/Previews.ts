/** What an order would come to: its desk says what it would do with it, and asks the market for the rest. */
import { Effect } from "effect"
import type { MarketClient } from "../../../clients/MarketClient.ts"
import type { RateLimited, Previewed, PreviewRead } from "../../../protocol/Desk.ts"
import type { Unavailable } from "../../../protocol/Market.ts"
import type { Submissions } from "./Submissions.ts"
import type { TraderCalls } from "../traders/TraderCalls.ts"

/** A market that moves meanwhile, or a trader, does not answer: nothing was done, and it may be asked again. */
export const make =
  (
    { read }: Pick<TraderCalls, "read">,
    { objection }: Pick<Submissions, "objection">,
    markets: Pick<MarketClient["Service"], "preview">
  ) =>
  ({ request, ...asked }: PreviewRead): Effect.Effect<Previewed, Unavailable | RateLimited> =>
    Effect.flatMap(
      // Read whole and at once, so that nothing is between what is held and what is free.
      read(asked, (trader) => objection(trader, request) ?? trader.preview(request)),
      (said): Effect.Effect<Previewed, Unavailable> => {
        if (!("_tag" in said)) {
          const { command, preview: trader } = said
          const market = markets.preview(request.symbol, command)
          return Effect.map(market, (market): Previewed => ({ _tag: "Previewed", trader, market }))
        }
        return Effect.succeed(said._tag === "BadSymbol" ? { _tag: "BadSymbol" } : said)
      }
    )
