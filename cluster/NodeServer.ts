/** Serves other nodes' direct calls to the markets on this node. */
import { Effect, Stream } from "effect"
import { LocalEntities } from "./clients/LocalEntities.ts"
import { Unavailable } from "./protocol/Market.ts"
import { NodeCalls } from "./protocol/Node.ts"

export const layer = NodeCalls.toLayer(
  Effect.gen(function* () {
    const { markets } = yield* LocalEntities
    const unavailable = (symbol: string) => new Unavailable({ what: `market ${symbol}` })
    return NodeCalls.of({
      WatchMarket: ({ symbol }) =>
        Stream.suspend(() => markets.get(symbol)?.stream ?? Stream.fail(unavailable(symbol))),
      SubmitToMarket: ({ commands, symbol }) =>
        Effect.callback<void, Unavailable>((resume) => {
          const done = (committed: boolean) => resume(committed ? Effect.void : Effect.fail(unavailable(symbol)))
          const market = markets.get(symbol)
          if (market === undefined) done(false)
          else market.submit(commands, done)
        })
    })
  })
)
