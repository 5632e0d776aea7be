/** A venue's second trade gateway, which can be cut off to simulate a crashed process or an unreachable desk. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { deskOf } from "@venue/cluster/protocol/Desk"
import { Unavailable } from "@venue/cluster/protocol/Market"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { UserId } from "@venue/domain/UserId"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Context, Effect, Layer, type Scope, identity } from "effect"
import * as Client from "./Client.ts"

/** A second trade gateway that can be cut off from desks. */
export interface OtherGateway {
  /** Opens a trade connection to this gateway, not yet authenticated. */
  readonly connect: Effect.Effect<Client.Client, never, Scope.Scope>
  /** Cuts the gateway off from all desks: it can neither renew leases nor detach connections. */
  readonly cut: Effect.Effect<void>
  /** Restores the connection to every desk. */
  readonly mend: Effect.Effect<void>
  /** Drains the gateway, like a process that shuts down gracefully. */
  readonly drain: Effect.Effect<void>
  /** Cuts the gateway off from the desk that holds this user. */
  readonly cutFrom: (userId: UserId) => Effect.Effect<void>
}

/** Returns an effect that builds a second gateway from the venue's services. */
export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const local = yield* LocalEntities
  const { desks: count } = yield* VenueSettings
  const services = yield* Effect.context<Exclude<Layer.Services<typeof TradeGateway.layer>, DeskClient>>()

  return Effect.gen(function* () {
    const cut = new Set<string>()
    const reach = <A, E>(deskId: string, call: Effect.Effect<A, E | Unavailable>): Effect.Effect<A, E | Unavailable> =>
      Effect.suspend(() => (cut.has(deskId) ? unanswered : call))
    const between = DeskClient.of({
      submit: (submission, reply, isOutstanding) => {
        if (!cut.has(deskOf(submission.userId, count))) desks.submit(submission, reply, isOutstanding)
      },
      whenReplied: desks.whenReplied,
      ask: (userId, call) => reach(deskOf(userId, count), desks.ask(userId, call)),
      summary: (request) => reach(deskOf(request.userId, count), desks.summary(request)),
      balances: (request) => reach(deskOf(request.userId, count), desks.balances(request)),
      orders: (request) => reach(deskOf(request.userId, count), desks.orders(request)),
      leverages: (request) => reach(deskOf(request.userId, count), desks.leverages(request)),
      watermarks: (request) => reach(deskOf(request.userId, count), desks.watermarks(request)),
      journalHead: (request) => reach(deskOf(request.userId, count), desks.journalHead(request)),
      feeTier: (request) => reach(deskOf(request.userId, count), desks.feeTier(request)),
      preview: (request) => reach(deskOf(request.userId, count), desks.preview(request)),
      wake: (deskId) => reach(deskId, desks.wake(deskId)),
      askDesk: (deskId, call) => reach(deskId, desks.askDesk(deskId, call))
    })
    const context = yield* Layer.build(Layer.fresh(TradeGateway.layer)).pipe(
      Effect.provideService(DeskClient, between),
      // Desks must treat this gateway as part of another process.
      Effect.provideService(LocalEntities, { ...local, gateways: new Set() }),
      Effect.provideContext(services)
    )
    const gateway = Context.get(context, TradeGateway)
    return identity<OtherGateway>({
      connect: Client.open((transport) => gateway.open(transport, "")),
      cut: Effect.sync(() => {
        for (let id = 0; id < count; id++) cut.add(String(id))
      }),
      mend: Effect.sync(() => cut.clear()),
      drain: gateway.drain,
      cutFrom: (userId) =>
        Effect.sync(() => {
          cut.add(deskOf(userId, count))
        })
    })
  })
})

/** Fails like a call that times out. */
const unanswered = Effect.andThen(
  Effect.sleep("2 seconds"),
  Effect.fail(new Unavailable({ what: "a desk that was cut off" }))
)
