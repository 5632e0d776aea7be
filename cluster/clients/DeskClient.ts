/** Sends orders and reads to desks. Submissions from one node to one desk are sent in batches. */
import type { Balance } from "@venue/domain/Balance"
import type { UserId } from "@venue/domain/UserId"
import { Clock, Context, Effect, Exit, Layer } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import {
  type AccountSummary,
  Desk,
  deskOf,
  type Leverages,
  type OpenOrders,
  type Previewed,
  type PreviewRead,
  type RateLimited,
  type Read,
  type Watermark
} from "../protocol/Desk.ts"
import type { Unavailable } from "../protocol/Market.ts"
import { VenueSettings } from "../VenueSettings.ts"
import { bounded, type ClusterFault } from "./ClusterFault.ts"
import { LocalEntities } from "./LocalEntities.ts"
import * as ClientMetrics from "./ClientMetrics.ts"
import * as SubmissionQueue from "./SubmissionQueue.ts"
import { FeedHeads } from "./FeedHeads.ts"
import * as Places from "./Places.ts"

type RawDesk = ReturnType<Effect.Success<typeof Desk.client>>

/** Reads one account's state. The response includes every market row that this node's feed has published. */
type ReadOf<A, Request extends Read = Read> = (
  request: Omit<Request, "heads">
) => Effect.Effect<A, Unavailable | RateLimited>
type ReadTags = "Summary" | "Balances" | "Orders" | "Leverages" | "Watermarks" | "JournalHead" | "FeeTier" | "Preview"
/** Desk messages that need no special handling. Submissions are batched, and reads carry the feed's heads. */
type OtherMessages = Omit<RawDesk, "Submit" | ReadTags>

export class DeskClient extends Context.Service<
  DeskClient,
  {
    /** Sends a submission until the desk responds or the submission expires. See `SubmissionQueue.push`. */
    readonly submit: SubmissionQueue.SubmissionQueue["push"]
    /** Calls back when all of the user's earlier submissions have replies; immediately if none is outstanding. */
    readonly whenReplied: SubmissionQueue.SubmissionQueue["whenReplied"]
    /** Calls a user's desk, with the timeout `deadline`. */
    readonly ask: <A, E>(
      userId: UserId,
      call: (desk: OtherMessages) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** Like `ask`, but takes a desk id. */
    readonly askDesk: <A, E>(
      deskId: string,
      call: (desk: OtherMessages) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** Returns an account's balance and positions, normally without waiting if the desk runs on this node. */
    readonly summary: ReadOf<AccountSummary>
    /** Returns the balances of all of a user's accounts; ignores the request's account. */
    readonly balances: ReadOf<ReadonlyArray<Balance>>
    readonly orders: ReadOf<OpenOrders>
    readonly leverages: ReadOf<Leverages>
    readonly watermarks: ReadOf<ReadonlyArray<Watermark>>
    /** Returns the sequence number of the newest row in the trader's own journal. */
    readonly journalHead: ReadOf<number>
    readonly feeTier: ReadOf<number>
    readonly preview: ReadOf<Previewed, PreviewRead>
    /** Starts the desk if necessary, and returns once it is running. */
    readonly wake: (deskId: string) => Effect.Effect<void, Unavailable>
  }
>()("@venue/cluster/DeskClient") {
  static readonly layer: Layer.Layer<DeskClient, never, LocalEntities | FeedHeads | Sharding> = Layer.effect(
    DeskClient,
    Effect.gen(function* () {
      const localEntities = yield* LocalEntities
      const heads = yield* FeedHeads
      const clock = yield* Clock.Clock
      const { desks } = yield* VenueSettings
      const places = yield* Places.make
      const clientAt = yield* Desk.client
      const client = (deskId: string) => clientAt(places.desk(deskId))
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const queues = new Map<string, SubmissionQueue.SubmissionQueue>()
      const { refused, timed } = yield* ClientMetrics.ofDesks(queues)

      const make = (deskId: string) =>
        SubmissionQueue.make({
          call: (submissions, isRepeated, reply) => {
            const done = timed(reply)
            const answers = isRepeated ? undefined : localEntities.desks.get(deskId)?.submit(submissions)
            if (answers !== undefined) return done(answers, true)
            const call = bounded(`desk ${deskId}`, client(deskId).Submit({ submissions }))
            run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit) ? exit.value : undefined))))
          },
          // Waits one turn of the event loop, so that frames read from all sockets in this turn are sent in one
          // batch.
          gather: setImmediate,
          sleep: (millis, then) => run(Effect.andThen(Effect.sleep(millis), Effect.sync(then))),
          nowMillis: () => clock.currentTimeMillisUnsafe(),
          overloaded: refused
        })
      const queueOf = (userId: UserId): SubmissionQueue.SubmissionQueue => {
        const deskId = deskOf(userId, desks)
        let queue = queues.get(deskId)
        if (queue === undefined) queues.set(deskId, (queue = make(deskId)))
        return queue
      }

      const askDesk: DeskClient["Service"]["askDesk"] = (deskId, call) =>
        bounded(`desk ${deskId}`, call(client(deskId)))
      const read =
        <A, E, Request extends Pick<Read, "userId"> = Omit<Read, "heads">>(
          call: (desk: RawDesk, request: Request & Pick<Read, "heads">) => Effect.Effect<A, E>
        ) =>
        (request: Request) =>
          Effect.suspend(() => {
            const deskId = deskOf(request.userId, desks)
            return bounded(`desk ${deskId}`, call(client(deskId), { ...request, heads: heads.all() }))
          })
      const readSummary = read((desk, request) => desk.Summary(request))
      return DeskClient.of({
        submit: (submission, reply, isOutstanding) => queueOf(submission.userId).push(submission, reply, isOutstanding),
        whenReplied: (userId, then) => queueOf(userId).whenReplied(userId, then),
        ask: (userId, call) => askDesk(deskOf(userId, desks), call),
        summary: (request) =>
          Effect.suspend(() => {
            const summary = localEntities.desks.get(deskOf(request.userId, desks))?.summary(request)
            return summary === undefined ? readSummary(request) : Effect.succeed(summary)
          }),
        balances: read((desk, request) => desk.Balances(request)),
        orders: read((desk, request) => desk.Orders(request)),
        leverages: read((desk, request) => desk.Leverages(request)),
        watermarks: read((desk, request) => desk.Watermarks(request)),
        journalHead: read((desk, request) => desk.JournalHead(request)),
        feeTier: read((desk, request) => desk.FeeTier(request)),
        preview: read((desk, request: Omit<PreviewRead, "heads"> & Pick<Read, "heads">) => desk.Preview(request)),
        wake: (deskId) => askDesk(deskId, (desk) => desk.Wake()),
        askDesk
      })
    })
  )
}
