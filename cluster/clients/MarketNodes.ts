/** The nodes on which markets are watched: for as long as rows come from there, a market is asked there directly. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, type Scope, Stream } from "effect"
import { Unavailable, type Watched } from "../protocol/Market.ts"
import { type NodeLink, NodeLinks } from "./NodeLinks.ts"

type Rows = Stream.Stream<Watched, unknown>

export interface MarketNodes {
  /** The market has said that it is there; undefined where it cannot be asked directly. */
  readonly found: (symbol: MarketSymbol, node: string | undefined) => void
  /** Its rows from there, or by the cluster. */
  readonly watch: (symbol: MarketSymbol, byCluster: () => Rows) => Stream.Stream<Watched, Unavailable>
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
    found: (symbol, node) => void nodes.set(symbol, node),
    watch: (symbol, byCluster) =>
      Stream.mapError(
        Stream.unwrap(Effect.suspend(() => rows(symbol, byCluster))),
        () => new Unavailable({ what: `market ${symbol}` })
      ),
    link: (symbol) => watched.get(symbol)
  }
})
