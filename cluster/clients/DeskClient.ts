/** What a node asks of desks: all submissions for one desk leave in one call; what comes meanwhile goes with the next. */
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
import * as SubmissionQueue from "./SubmissionQueue.ts"
import { FeedHeads } from "./FeedHeads.ts"
import * as Places from "./Places.ts"

type RawDesk = ReturnType<Effect.Success<typeof Desk.client>>

/** A question about one account: whoever asks is told no less than what this node has told already. */
type ReadOf<A, Asked extends Read = Read> = (asked: Omit<Asked, "heads">) => Effect.Effect<A, Unavailable | RateLimited>
type ReadTags = "Summary" | "Balances" | "Orders" | "Leverages" | "Watermarks" | "JournalHead" | "FeeTier" | "Preview"
/** Commands leave in batches, and questions with what this node has been told. */
type AskedDesk = Omit<RawDesk, "Submit" | ReadTags>

export class DeskClient extends Context.Service<
  DeskClient,
  {
    /**
     * Asks until it is answered or its expiry is past; `reply` comes once, in this turn or a later one. What was handed on is
     * asked for again as long as its outcome `isOutstanding`, and `reply` comes once more if it was not done.
     */
    readonly submit: SubmissionQueue.SubmissionQueue["push"]
    /** Calls back once all that was submitted for this user so far has its reply: at once when it has. */
    readonly whenReplied: SubmissionQueue.SubmissionQueue["whenReplied"]
    /** The desk of a user, for what is asked one by one. Every call has a deadline. */
    readonly ask: <A, E>(
      userId: UserId,
      call: (desk: AskedDesk) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** By desk id, for what a gateway says to each desk. */
    readonly askDesk: <A, E>(
      deskId: string,
      call: (desk: AskedDesk) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** What an account has and holds: at once as a rule when its desk is here. */
    readonly summary: ReadOf<AccountSummary>
    /** What all accounts of a user have, whichever of them is named. */
    readonly balances: ReadOf<ReadonlyArray<Balance>>
    readonly orders: ReadOf<OpenOrders>
    readonly leverages: ReadOf<Leverages>
    readonly watermarks: ReadOf<ReadonlyArray<Watermark>>
    /** How far the journal of the account's own trader has come. */
    readonly journalHead: ReadOf<number>
    readonly feeTier: ReadOf<number>
    /** What an order would come to, if it were placed now. */
    readonly preview: ReadOf<Previewed, PreviewRead>
    /** Starts a desk that is not up; answers once it is. */
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

      const make = (deskId: string) =>
        SubmissionQueue.make({
          call: (submissions, isRepeated, done) => {
            const answers = isRepeated ? undefined : localEntities.desks.get(deskId)?.submit(submissions)
            if (answers !== undefined) return done(answers, true)
            const call = bounded(`desk ${deskId}`, client(deskId).Submit({ submissions }))
            run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit) ? exit.value : undefined))))
          },
          // One turn of the event loop, so that the frames of all sockets read in it travel together.
          gather: setImmediate,
          sleep: (millis, then) => run(Effect.andThen(Effect.sleep(millis), Effect.sync(then))),
          nowMillis: () => clock.currentTimeMillisUnsafe()
        })
      const queueOf = (userId: UserId): SubmissionQueue.SubmissionQueue => {
        const deskId = deskOf(userId, desks)
        let queue = queues.get(deskId)
        if (queue === undefined) queues.set(deskId, (queue = make(deskId)))
        return queue
      }

      const askDesk: DeskClient["Service"]["askDesk"] = (deskId, call) =>
        bounded(`desk ${deskId}`, call(client(deskId)))
      const question =
        <A, E, Asked extends Pick<Read, "userId"> = Omit<Read, "heads">>(
          call: (desk: RawDesk, asked: Asked & Pick<Read, "heads">) => Effect.Effect<A, E>
        ) =>
        (asked: Asked) =>
          Effect.suspend(() => {
            const deskId = deskOf(asked.userId, desks)
            return bounded(`desk ${deskId}`, call(client(deskId), { ...asked, heads: heads.all() }))
          })
      const askSummary = question((desk, asked) => desk.Summary(asked))
      return DeskClient.of({
        submit: (submission, reply, isOutstanding) => queueOf(submission.userId).push(submission, reply, isOutstanding),
        whenReplied: (userId, then) => queueOf(userId).whenReplied(userId, then),
        ask: (userId, call) => askDesk(deskOf(userId, desks), call),
        summary: (asked) =>
          Effect.suspend(() => {
            const told = localEntities.desks.get(deskOf(asked.userId, desks))?.summary(asked)
            return told === undefined ? askSummary(asked) : Effect.succeed(told)
          }),
        balances: question((desk, asked) => desk.Balances(asked)),
        orders: question((desk, asked) => desk.Orders(asked)),
        leverages: question((desk, asked) => desk.Leverages(asked)),
        watermarks: question((desk, asked) => desk.Watermarks(asked)),
        journalHead: question((desk, asked) => desk.JournalHead(asked)),
        feeTier: question((desk, asked) => desk.FeeTier(asked)),
        preview: question((desk, asked: Omit<PreviewRead, "heads"> & Pick<Read, "heads">) => desk.Preview(asked)),
        wake: (deskId) => askDesk(deskId, (desk) => desk.Wake()),
        askDesk
      })
    })
  )
}
