/** The heads that this node's feed has told. */
import { Effect, Layer } from "effect"
import { ToldHeads } from "../clients/ToldHeads.ts"
import { VenueSettings } from "../VenueSettings.ts"
import { Feed } from "./Feed.ts"

export const layer: Layer.Layer<ToldHeads, never, Feed> = Layer.effect(
  ToldHeads,
  Effect.gen(function* () {
    const feed = yield* Feed
    const { instruments } = yield* VenueSettings
    const symbols = [...instruments.keys()]
    return ToldHeads.of({
      all: () =>
        symbols.flatMap((symbol) => {
          const head = feed.head(symbol)
          return head === undefined ? [] : [{ symbol, seq: head.seq }]
        })
    })
  })
)
