/** Direct links to the nodes that own watched markets. Calls to a market use its link while it is watched. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, type Scope, Stream } from "effect"
import { Unavailable, type Watched } from "../protocol/Market.ts"
import { type NodeLink, NodeLinks } from "./NodeLinks.ts"

type Rows = Stream.Stream<Watched, unknown>

export interface MarketNodes {
  /** Records the node on which a market runs, or undefined if that node has no direct link. */
  readonly locate: (symbol: MarketSymbol, node: string | undefined) => void
  /** Streams the market's rows over the direct link, or through the cluster library if there is no link. */
  readonly watch: (symbol: MarketSymbol, byCluster: () => Rows) => Stream.Stream<Watched, Unavailable>
  /** Returns the link to a watched market, or undefined if the market is not watched over a link. */
  readonly link: (symbol: MarketSymbol) => NodeLink | undefined
}

export const make = Effect.map(NodeLinks, (links): MarketNodes => {
  const nodes = new Map<MarketSymbol, string | undefined>()
  const watched = new Map<MarketSymbol, NodeLink>()

  const rows = Effect.fnUntraced(function* (
    symbol: MarketSymbol,
    byCluster: () => Rows
  ): Effect.fn.Return<Rows, never, Scope.Scope> {
    const node = nodes.get(symbol)
    if (node === undefined || links === undefined) return byCluster()
    const link = yield* links.to(node)
    yield* Effect.acquireRelease(
      Effect.sync(() => void watched.set(symbol, link)),
      () =>
        Effect.sync(() => {
          if (watched.get(symbol) === link) watched.delete(symbol)
        })
    )
    return link.WatchMarket({ symbol })
  })
  return {
    locate: (symbol, node) => void nodes.set(symbol, node),
    watch: (symbol, byCluster) =>
      Stream.mapError(
        Stream.unwrap(Effect.suspend(() => rows(symbol, byCluster))),
        () => new Unavailable({ what: `market ${symbol}` })
      ),
    link: (symbol) => watched.get(symbol)
  }
})
