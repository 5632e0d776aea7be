/** Another trade gateway of a venue, that can be cut off: what a dead process or a stalled desk looks like to the rest. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import { deskOf } from "@venue/cluster/protocol/Desk"
import { Unavailable } from "@venue/cluster/protocol/Market"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { UserId } from "@venue/domain/UserId"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Context, Effect, Layer, type Scope } from "effect"
import * as Client from "./Client.ts"

export interface OtherGateway {
  /** A trade connection to this gateway that has said nothing yet. */
  readonly connect: Effect.Effect<Client.Client, never, Scope.Scope>
  /** From now on nothing this gateway says reaches any desk: it renews no lease and detaches no connection. */
  readonly cut: Effect.Effect<void>
  /** What it says reaches every desk again. */
  readonly mend: Effect.Effect<void>
  /** It stops, as a process does that is told to. */
  readonly drain: Effect.Effect<void>
  /** The same as `cut` for the one desk that holds this user. */
  readonly cutFrom: (userId: UserId) => Effect.Effect<void>
}

export const make = Effect.gen(function* () {
  const desks = yield* DeskClient
  const local = yield* LocalEntities
  const { desks: count } = yield* VenueSettings
  const around = yield* Effect.context<Exclude<Layer.Services<typeof TradeGateway.layer>, DeskClient>>()

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
      summary: (asked) => reach(deskOf(asked.userId, count), desks.summary(asked)),
      balances: (asked) => reach(deskOf(asked.userId, count), desks.balances(asked)),
      orders: (asked) => reach(deskOf(asked.userId, count), desks.orders(asked)),
      leverages: (asked) => reach(deskOf(asked.userId, count), desks.leverages(asked)),
      watermarks: (asked) => reach(deskOf(asked.userId, count), desks.watermarks(asked)),
      journalHead: (asked) => reach(deskOf(asked.userId, count), desks.journalHead(asked)),
      feeTier: (asked) => reach(deskOf(asked.userId, count), desks.feeTier(asked)),
      preview: (asked) => reach(deskOf(asked.userId, count), desks.preview(asked)),
      wake: (deskId) => reach(deskId, desks.wake(deskId)),
      askDesk: (deskId, call) => reach(deskId, desks.askDesk(deskId, call))
    })
    const context = yield* Layer.build(Layer.fresh(TradeGateway.layer)).pipe(
      Effect.provideService(DeskClient, between),
      // Desks do not see that it is of this process: they take it for one of another.
      Effect.provideService(LocalEntities, { ...local, gateways: new Set() }),
      Effect.provideContext(around)
    )
    const gateway = Context.get(context, TradeGateway)
    return {
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
    } satisfies OtherGateway as OtherGateway
  })
})

/** A call into the void is given up like any that has no answer. */
const unanswered = Effect.andThen(
  Effect.sleep("2 seconds"),
  Effect.fail(new Unavailable({ what: "a desk that was cut off" }))
)
