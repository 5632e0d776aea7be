/** Another trade gateway of a venue, that can be cut off: what its process dying looks like from outside. */
import { Accounts } from "@venue/auth/Accounts"
import { Hmac } from "@venue/auth/Hmac"
import { Feed } from "@venue/cluster/Feed"
import { Desks } from "@venue/cluster/Link"
import { History } from "@venue/gateway/History"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Context, Effect, Layer, type Scope } from "effect"
import * as Client from "./Client.ts"

export interface OtherGateway {
  /** A trade connection to this gateway that has said nothing yet. */
  readonly connect: Effect.Effect<Client.Client, never, Scope.Scope>
  /** From now on nothing this gateway says reaches a desk: it renews no lease and detaches no connection. */
  readonly cut: Effect.Effect<void>
}

export const make = Effect.gen(function*() {
  const desks = yield* Desks
  const around = yield* Effect.context<Accounts | Feed | History | Hmac>()

  return Effect.gen(function*() {
    let isCut = false
    const uncut = <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => isCut ? Effect.never : call)
    const between = Desks.of({
      submit: (submission, reply) => isCut ? undefined : desks.submit(submission, reply),
      ask: (userId, call) => uncut(desks.ask(userId, call)),
      askDesk: (deskId, call) => uncut(desks.askDesk(deskId, call))
    })
    const context = yield* Layer.build(Layer.fresh(TradeGateway.layer)).pipe(
      Effect.provideService(Desks, between),
      Effect.provideContext(around)
    )
    const gateway = Context.get(context, TradeGateway)
    return {
      connect: Client.open((transport) => gateway.open(transport, "")),
      cut: Effect.sync(() => {
        isCut = true
      })
    } satisfies OtherGateway as OtherGateway
  })
})
