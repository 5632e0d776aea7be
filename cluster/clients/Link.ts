/**
 * Everything one node has for one market, or for one desk, leaves in one call: what arrives while a call is in flight
 * travels in the next. An entity that lives here is called as a function.
 */
import type { TraderCommand } from "@venue/domain/Market"
import { Cause, Context, Effect, Exit, Layer } from "effect"
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
import { type AccountView, type DepthAt, Market, Unavailable } from "../protocol/Market.ts"
import { LocalEntities } from "./LocalEntities.ts"
import { User } from "../protocol/User.ts"
import { VenueSettings } from "../VenueSettings.ts"

/** More than this waiting for one market or desk is refused at once. */
const maxWaiting = 100_000
/** One call carries at most so many; the rest goes with the next. */
const maxBatch = 4_096
const retryMillis = 50
/** A call that has not answered by then is unknown and said again. */
const deadline = "2 seconds"

export class Markets extends Context.Service<
  Markets,
  {
    /** Sends until the market recorded an outcome; false when too many wait already and it was not taken. */
    readonly submit: (symbol: string, command: TraderCommand) => boolean
    readonly view: (
      symbol: string,
      userId: string,
      traderEpoch: number,
      accountIds: ReadonlyArray<string>
    ) => Effect.Effect<AccountView, Unavailable>
    readonly depth: (symbol: string) => Effect.Effect<DepthAt, Unavailable>
    readonly observe: (symbol: string, price: number) => Effect.Effect<void, Unavailable>
    readonly totals: (
      symbol: string
    ) => Effect.Effect<{ readonly positions: number; readonly cash: number }, Unavailable>
  }
>()("@venue/cluster/Markets") {
  static readonly layer: Layer.Layer<Markets, never, LocalEntities | Sharding> = Layer.effect(
    Markets,
    Effect.gen(function* () {
      const localEntities = yield* LocalEntities
      const client = yield* Market.client
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const lines = new Map<string, MarketLine>()
      const ask = <A, E>(symbol: string, call: Effect.Effect<A, E>) => bounded(`market ${symbol}`, call)

      const lineOf = (symbol: string): MarketLine => {
        let line = lines.get(symbol)
        if (line === undefined) {
          line = marketLine(
            (commands, done) => {
              const here = localEntities.markets.get(symbol)
              if (here !== undefined) return here.submit(commands, done)
              const call = ask(symbol, client(symbol).Submit({ commands }))
              run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit)))))
            },
            () => localEntities.markets.has(symbol),
            (again) => run(Effect.andThen(Effect.sleep(retryMillis), Effect.sync(again)))
          )
          lines.set(symbol, line)
        }
        return line
      }

      return Markets.of({
        submit: (symbol, command) => lineOf(symbol).push(command),
        view: (symbol, userId, traderEpoch, accountIds) =>
          Effect.suspend(
            () =>
              localEntities.markets.get(symbol)?.view(userId, traderEpoch, accountIds) ??
              ask(symbol, client(symbol).View({ userId, traderEpoch, accountIds }))
          ),
        depth: (symbol) =>
          Effect.suspend(() => localEntities.markets.get(symbol)?.depth ?? ask(symbol, client(symbol).Depth())),
        observe: (symbol, price) => ask(symbol, client(symbol).Observe({ price })),
        totals: (symbol) => ask(symbol, client(symbol).Totals())
      })
    })
  )
}

type DeskClient = ReturnType<Effect.Success<typeof Desk.client>>

export class Desks extends Context.Service<
  Desks,
  {
    /** `reply` comes once, in this turn or a later one; `Refused` stands for a desk that cannot be reached, too. */
    readonly submit: (submission: Submission, reply: (submitted: Submitted) => void) => void
    /** Calls back once all that was submitted to this user's desk so far has its reply: at once when it has. */
    readonly whenReplied: (userId: string, then: () => void) => void
    /** The desk of a user, for what is asked one by one. Every call has a deadline. */
    readonly ask: <A, E>(
      userId: string,
      call: (desk: DeskClient) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** By desk id, for what a gateway says to each desk. */
    readonly askDesk: <A, E>(
      deskId: string,
      call: (desk: DeskClient) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
    /** What an account has and holds: at once as a rule when its desk is here. */
    readonly summary: (asked: Read) => Effect.Effect<AccountSummary, Unavailable | RateLimited>
    /** Starts a desk that is not up; answers once it is. */
    readonly rouse: (deskId: string) => Effect.Effect<void, Unavailable>
  }
>()("@venue/cluster/Desks") {
  static readonly layer: Layer.Layer<Desks, never, LocalEntities | Sharding> = Layer.effect(
    Desks,
    Effect.gen(function* () {
      const localEntities = yield* LocalEntities
      const { desks } = yield* VenueSettings
      const client = yield* Desk.client
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const lines = new Map<string, DeskLine>()

      const lineOf = (deskId: string): DeskLine => {
        let line = lines.get(deskId)
        if (line === undefined) {
          line = deskLine((submissions, done) => {
            const here = localEntities.desks.get(deskId)
            if (here !== undefined) return done(here.submit(submissions))
            const call = bounded(`desk ${deskId}`, client(deskId).Submit({ submissions }))
            run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit) ? exit.value : undefined))))
          })
          lines.set(deskId, line)
        }
        return line
      }

      const askDesk: Desks["Service"]["askDesk"] = (deskId, call) => bounded(`desk ${deskId}`, call(client(deskId)))
      return Desks.of({
        submit: (submission, reply) => lineOf(deskOf(submission.userId, desks)).push(submission, reply),
        whenReplied: (userId, then) => lineOf(deskOf(userId, desks)).whenReplied(then),
        ask: (userId, call) => askDesk(deskOf(userId, desks), call),
        summary: (asked) =>
          Effect.suspend(() => {
            const deskId = deskOf(asked.userId, desks)
            const told = localEntities.desks.get(deskId)?.summary(asked)
            return told === undefined ? askDesk(deskId, (desk) => desk.Summary(asked)) : Effect.succeed(told)
          }),
        rouse: (deskId) => askDesk(deskId, (desk) => desk.Rouse()),
        askDesk
      })
    })
  )
}

type UserClient = ReturnType<Effect.Success<typeof User.client>>

export class Users extends Context.Service<
  Users,
  {
    /** The entity of a user. Every call has a deadline. */
    readonly ask: <A, E>(
      userId: string,
      call: (user: UserClient) => Effect.Effect<A, E>
    ) => Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
  }
>()("@venue/cluster/Users") {
  static readonly layer: Layer.Layer<Users, never, Sharding> = Layer.effect(
    Users,
    Effect.map(User.client, (client) =>
      Users.of({ ask: (userId, call) => bounded(`user ${userId}`, call(client(userId))) })
    )
  )
}

interface MarketLine {
  readonly push: (command: TraderCommand) => boolean
}

/** Commands leave in order and are dropped here only when recorded; after a failure all of them leave again, in order. */
function marketLine(
  call: (commands: ReadonlyArray<TraderCommand>, done: (committed: boolean) => void) => void,
  isHere: () => boolean,
  later: (again: () => void) => void
): MarketLine {
  let waiting: Array<TraderCommand> = []
  let flying: Array<ReadonlyArray<TraderCommand>> = []
  let scheduled = false
  /** Answers of calls made before a failure are stale. */
  let round = 0
  let backingOff = false

  const send = () => {
    scheduled = false
    if (waiting.length === 0 || backingOff || (flying.length > 0 && !isHere())) return
    const commands = waiting.length <= maxBatch ? waiting : waiting.slice(0, maxBatch)
    waiting = waiting.length <= maxBatch ? [] : waiting.slice(maxBatch)
    flying.push(commands)
    const mine = round
    call(commands, (committed) => {
      if (mine !== round) return
      if (committed) {
        flying.splice(flying.indexOf(commands), 1)
      } else {
        round++
        waiting = [...flying.flat(), ...waiting]
        flying = []
        backingOff = true
        later(() => {
          backingOff = false
          kick()
        })
      }
      kick()
    })
    kick()
  }
  const kick = () => {
    if (scheduled || backingOff || waiting.length === 0) return
    scheduled = true
    // After the desk's whole batch, before the next input: no event-loop turn is lost.
    queueMicrotask(send)
  }
  return {
    push: (command) => {
      if (waiting.length >= maxWaiting) return false
      waiting.push(command)
      kick()
      return true
    }
  }
}

interface DeskLine {
  readonly push: (submission: Submission, reply: (submitted: Submitted) => void) => void
  readonly whenReplied: (then: () => void) => void
}

function deskLine(
  call: (submissions: ReadonlyArray<Submission>, done: (answers: ReadonlyArray<Submitted> | undefined) => void) => void
): DeskLine {
  const waiting: Array<{ readonly submission: Submission; readonly reply: (submitted: Submitted) => void }> = []
  let scheduled = false
  let flying = false
  /** Submissions that were pushed, and that have their reply. */
  let pushed = 0
  let replied = 0
  let waiters: ReadonlyArray<{ readonly after: number; readonly tell: () => void }> = []

  const send = () => {
    scheduled = false
    if (flying || waiting.length === 0) return
    const parts = waiting.splice(0, maxBatch)
    flying = true
    call(
      parts.map((part) => part.submission),
      (answers) => {
        flying = false
        for (let i = 0; i < parts.length; i++) {
          const { reply, submission } = parts[i]!
          reply(answers?.[i] ?? refused(submission, "no desk could be reached; whether it was done is unknown"))
        }
        replied += parts.length
        if (waiters.length > 0) tellWaiters()
        kick()
      }
    )
  }
  const kick = () => {
    if (scheduled || flying || waiting.length === 0) return
    scheduled = true
    // One turn of the event loop, so that the frames of all sockets read in it travel together.
    setImmediate(send)
  }
  const tellWaiters = () => {
    const due = waiters.filter(({ after }) => after <= replied)
    waiters = waiters.filter(({ after }) => after > replied)
    for (const { tell } of due) tell()
  }
  return {
    push: (submission, reply) => {
      if (waiting.length >= maxWaiting) {
        return reply(refused(submission, "too many orders are waiting; not placed, try again"))
      }
      waiting.push({ submission, reply })
      pushed++
      kick()
    },
    whenReplied: (then) => {
      if (pushed === replied) then()
      else waiters = [...waiters, { after: pushed, tell: then }]
    }
  }
}

const refused = ({ request }: Submission, why: string): Submitted => ({
  _tag: "Refused",
  commandId: request.commandId.text,
  why
})

/** A deadline means unknown, and so does everything the cluster itself may answer, the end of an entity that moves too. */
function bounded<A, E>(what: string, call: Effect.Effect<A, E>) {
  return call.pipe(
    Effect.timeout(deadline),
    Effect.mapError((error) => (isClusterFault(error) ? new Unavailable({ what }) : error)),
    Effect.catchCauseIf(Cause.hasInterruptsOnly, () => Effect.fail(new Unavailable({ what })))
  ) as Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
}

type ClusterFault = { readonly _tag: (typeof faults)[number] }

const faults = [
  "TimeoutError",
  "MailboxFull",
  "AlreadyProcessingMessage",
  "PersistenceError",
  "EntityNotAssignedToRunner"
] as const

function isClusterFault(error: unknown): boolean {
  return faults.some((tag) => (error as { _tag?: unknown } | undefined)?._tag === tag)
}
