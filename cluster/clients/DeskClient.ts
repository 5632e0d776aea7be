/** What a node asks of desks: all submissions for one desk leave in one call; what comes meanwhile goes with the next. */
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { UserId } from "@venue/domain/UserId"
import { Context, Effect, Exit, Layer } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import {
  type AccountSummary,
  Desk,
  deskOf,
  type RateLimited,
  type Read,
  type Submission,
  type Submitted
} from "../protocol/Desk.ts"
import type { Unavailable } from "../protocol/Market.ts"
import { VenueSettings } from "../VenueSettings.ts"
import * as Batcher from "./Batcher.ts"
import { bounded, type ClusterFault } from "./ClusterFault.ts"
import { LocalEntities } from "./LocalEntities.ts"

type RawDesk = ReturnType<Effect.Success<typeof Desk.client>>

export class DeskClient extends Context.Service<
  DeskClient,
  {
    /** `reply` comes once, in this turn or a later one; `Refused` stands for a desk that cannot be reached, too. */
    readonly submit: (submission: Submission, reply: (submitted: Submitted) => void) => void
    /** Calls back once all that was submitted to this user's desk so far has its reply: at once when it has. */
    readonly whenReplied: (userId: UserId, then: () => void) => void
    /** The desk of a user, for what is asked one by one. Every call has a deadline. */
    readonly ask: <A, E>(
      userId: UserId,
      call: (desk: RawDesk) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** By desk id, for what a gateway says to each desk. */
    readonly askDesk: <A, E>(
      deskId: string,
      call: (desk: RawDesk) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** What an account has and holds: at once as a rule when its desk is here. */
    readonly summary: (asked: Read) => Effect.Effect<AccountSummary, Unavailable | RateLimited>
    /** Starts a desk that is not up; answers once it is. */
    readonly wake: (deskId: string) => Effect.Effect<void, Unavailable>
  }
>()("@venue/cluster/DeskClient") {
  static readonly layer: Layer.Layer<DeskClient, never, LocalEntities | Sharding> = Layer.effect(
    DeskClient,
    Effect.gen(function* () {
      const localEntities = yield* LocalEntities
      const { desks } = yield* VenueSettings
      const client = yield* Desk.client
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const queues = new Map<string, SubmissionQueue>()

      const make = (deskId: string) =>
        submissionQueue((submissions, done) => {
          const answers = localEntities.desks.get(deskId)?.submit(submissions)
          if (answers !== undefined) return done(answers)
          const call = bounded(`desk ${deskId}`, client(deskId).Submit({ submissions }))
          run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit) ? exit.value : undefined))))
        })
      const queueOf = (userId: UserId): SubmissionQueue => {
        const deskId = deskOf(userId, desks)
        let queue = queues.get(deskId)
        if (queue === undefined) queues.set(deskId, (queue = make(deskId)))
        return queue
      }

      const askDesk: DeskClient["Service"]["askDesk"] = (deskId, call) =>
        bounded(`desk ${deskId}`, call(client(deskId)))
      return DeskClient.of({
        submit: (submission, reply) => queueOf(submission.userId).push(submission, reply),
        whenReplied: (userId, then) => queueOf(userId).whenReplied(then),
        ask: (userId, call) => askDesk(deskOf(userId, desks), call),
        summary: (asked) =>
          Effect.suspend(() => {
            const deskId = deskOf(asked.userId, desks)
            const told = localEntities.desks.get(deskId)?.summary(asked)
            return told === undefined ? askDesk(deskId, (desk) => desk.Summary(asked)) : Effect.succeed(told)
          }),
        wake: (deskId) => askDesk(deskId, (desk) => desk.Wake()),
        askDesk
      })
    })
  )
}

interface SubmissionQueue {
  readonly push: (submission: Submission, reply: (submitted: Submitted) => void) => void
  readonly whenReplied: (then: () => void) => void
}

/** What waits for one desk, or for its answer. A call that fails is not made again: whether it was done is unknown. */
function submissionQueue(
  call: (submissions: ReadonlyArray<Submission>, done: (answers: ReadonlyArray<Submitted> | undefined) => void) => void
): SubmissionQueue {
  /** Submissions that were pushed, and that have their reply. */
  let pushed = 0
  let replied = 0
  let waiters: ReadonlyArray<{ readonly after: number; readonly tell: () => void }> = []
  const batcher = Batcher.make<{ readonly submission: Submission; readonly reply: (submitted: Submitted) => void }>({
    send: (parts, done) =>
      call(
        parts.map(({ submission }) => submission),
        (answers) => {
          done(true)
          for (let i = 0; i < parts.length; i++) {
            const { reply, submission } = parts[i]!
            reply(answers?.[i] ?? refused(submission, { _tag: "DeskUnreachable" }))
          }
          replied += parts.length
          if (waiters.length > 0) tellWaiters()
        }
      ),
    // One turn of the event loop, so that the frames of all sockets read in it travel together.
    gather: setImmediate
  })
  const tellWaiters = () => {
    const due = waiters.filter(({ after }) => after <= replied)
    waiters = waiters.filter(({ after }) => after > replied)
    for (const { tell } of due) tell()
  }
  return {
    push: (submission, reply) => {
      if (batcher.push({ submission, reply })) pushed++
      else reply(refused(submission, { _tag: "DeskOverloaded" }))
    },
    whenReplied: (then) => {
      if (pushed === replied) then()
      else waiters = [...waiters, { after: pushed, tell: then }]
    }
  }
}

const refused = ({ request }: Submission, refusal: SubmitRefusal): Submitted => ({
  _tag: "Refused",
  commandId: request.commandId.text,
  refusal
})
