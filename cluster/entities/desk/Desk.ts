/** A slice of the users: the only door for their trading commands. It decides and hands on; it waits for no market. */
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import type { LedgerCommand, LedgerCommandOf, LedgerRefusal } from "@venue/domain/Trader"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect, type Layer, Result } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Feed } from "../../feed/Feed.ts"
import type { MarketClient } from "../../clients/MarketClient.ts"
import {
  type AccountSummary,
  type Cost,
  Desk,
  RateLimited,
  type Submission,
  type Submitted
} from "../../protocol/Desk.ts"
import { Unavailable } from "../../protocol/Market.ts"
import { LocalEntities, type LocalDesk } from "../../clients/LocalEntities.ts"
import { VenueSettings } from "../../VenueSettings.ts"
import * as Disconnects from "./Disconnects.ts"
import * as Repeats from "./Repeats.ts"
import { addsRisk, type Seat } from "./Seat.ts"
import * as Seats from "./Seats.ts"

/** A market that has not shown itself for so long may not be told to add risk. */
const staleMillis = 2_000
/** Markets are listened to this often. */
const listenMillis = 100

export const DeskLayer: Layer.Layer<
  never,
  never,
  Sharding.Sharding | Journal | ReadTables | LocalEntities | Feed | MarketClient
> = Desk.toLayer(
  Effect.gen(function* () {
    const { entityId, shardId } = yield* Entity.CurrentAddress
    const sharding = yield* Sharding.Sharding
    const localEntities = yield* LocalEntities
    const feed = yield* Feed
    const clock = yield* Clock.Clock
    const venue = yield* VenueSettings
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const now = () => clock.currentTimeMillisUnsafe()
    const seats = yield* Seats.make(Effect.sync(() => sharding.hasShardId(shardId)))

    const disconnects = yield* Disconnects.make(seats)
    seats.watch(disconnects.look)
    yield* disconnects.wakeArmed(entityId)

    /** Markets that have not shown themselves lately. */
    let silent: ReadonlySet<string> = new Set()
    let listenedAtMillis = -Infinity
    const mayAddRisk = (seat: Seat, symbol: string): boolean => {
      const nowMillis = now()
      if (Math.abs(nowMillis - listenedAtMillis) > listenMillis) {
        listenedAtMillis = nowMillis
        silent = new Set(
          [...venue.instruments.keys()].filter((listed) => {
            const head = feed.head(listed)
            return head === undefined || nowMillis - head.heardAtMillis > staleMillis
          })
        )
      }
      // Margin is held against all the user has, so any joined market will do.
      return silent.size === 0 || (!silent.has(symbol) && !seat.symbols().some((joined) => silent.has(joined)))
    }

    const submitOne = ({ cost, request, userId }: Submission): Submitted => {
      const commandId = request.commandId.text
      const waitMillis = seats.spend(userId, cost, now())
      if (waitMillis > 0) return { _tag: "RateLimited", commandId, retryAfterMillis: waitMillis }
      const all = request._tag === "CancelAllOrders" && request.symbol === ""
      if (!all && !venue.instruments.has(request.symbol)) return { _tag: "BadSymbol", commandId }
      const seat = seats.get(userId)
      if (seat === undefined) {
        seats.rouse(userId)
        return refused(commandId, { _tag: "AccountLoading" })
      }
      if (addsRisk(request) && !mayAddRisk(seat, request.symbol)) {
        return refused(commandId, { _tag: "MarketSilent", symbol: request.symbol })
      }
      if (!seat.trader.accounts.has(request.accountId)) {
        return refused(commandId, { _tag: "UnknownAccount", accountId: request.accountId })
      }
      const symbols = all ? seat.symbols() : [request.symbol]
      for (const symbol of symbols) {
        if (!seat.enter(all ? { ...request, symbol } : request)) {
          return refused(commandId, { _tag: "TooManyWaiting", symbol })
        }
      }
      return { _tag: "HandedOn", commandId, symbols }
    }
    /** A thrown error is a fault of ours: it costs its own trader a new start from the journal, and nobody else anything. */
    const submit: LocalDesk["submit"] = (submissions) => {
      const answers: Array<Submitted> = []
      const rest = () => {
        while (answers.length < submissions.length) answers.push(submitOne(submissions[answers.length]!))
      }
      for (;;) {
        const done = Result.try(rest)
        if (Result.isSuccess(done)) return answers
        const {
          request: { _tag, commandId },
          userId
        } = submissions[answers.length]!
        run(Effect.logError(`desk ${entityId}: ${_tag} threw; its trader is loaded again`, done.failure))
        seats.drop(userId)
        answers.push(refused(commandId.text, { _tag: "Faulted" }))
      }
    }
    const local: LocalDesk = {
      submit,
      summary: ({ accountId, cost, userId }) => {
        const seat = seats.get(userId)
        const isTold = seat?.isOpen() === true && seats.spend(userId, cost, now()) === 0
        return isTold ? summary(seat, accountId) : undefined
      },
      isEndingOrphans: disconnects.isEndingOrphans,
      isArmed: disconnects.isArmed
    }
    const repeats = Repeats.make(submit)
    localEntities.desks.set(entityId, local)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (localEntities.desks.get(entityId) === local) localEntities.desks.delete(entityId)
      })
    )

    const opened = (seat: Seat) =>
      Effect.callback<void, Unavailable>((resume) => {
        const stop = seat.whenOpen((isOpen) =>
          resume(isOpen ? Effect.void : Effect.fail(new Unavailable({ what: `user ${seat.userId}` })))
        )
        return Effect.sync(stop)
      })
    /** A read waits until every market the user has joined has answered. */
    const read = <A>(
      { accountId, cost, userId }: { readonly userId: string; readonly accountId: string; readonly cost: Cost },
      get: (seat: Seat, accountId: string) => A | undefined
    ): Effect.Effect<A, Unavailable | RateLimited> =>
      Effect.gen(function* () {
        yield* charge(userId, cost)
        const seat = yield* seats.wake(userId)
        yield* opened(seat)
        const found = get(seat, accountId)
        return found === undefined ? yield* new Unavailable({ what: `account ${accountId}` }) : found
      })
    const charge = (userId: string, cost: Cost) =>
      Effect.suspend(() => {
        const waitMillis = seats.spend(userId, cost, now())
        return waitMillis > 0 ? Effect.fail(new RateLimited({ retryAfterMillis: waitMillis })) : Effect.void
      })

    /** Decided once `ready`: unless told otherwise, on what every joined market says. */
    const change = <Tag extends LedgerCommand["_tag"]>(
      userId: string,
      cost: Cost,
      command: LedgerCommandOf<Tag>,
      ready: (seat: Seat) => Effect.Effect<void, Unavailable> = opened
    ) =>
      Rpc.fork(
        Effect.gen(function* () {
          yield* charge(userId, cost)
          const seat = yield* seats.wake(userId)
          yield* ready(seat)
          yield* Effect.callback<void, LedgerRefusal<Tag> | Unavailable>((resume) =>
            seat.change(command, (result) =>
              resume(
                Result.isSuccess(result)
                  ? Effect.void
                  : Effect.fail(
                      result.failure === "lost" ? new Unavailable({ what: `user ${userId}` }) : result.failure
                    )
              )
            )
          )
        })
      )

    return Desk.of({
      Submit: ({ payload: { submissions } }) =>
        Effect.forEach(
          new Set(submissions.map(({ userId }) => userId)),
          (userId) => Effect.ignore(seats.wake(userId)),
          {
            discard: true,
            concurrency: "unbounded"
          }
        ).pipe(
          Effect.map(() => repeats.submit(submissions, now())),
          Rpc.fork
        ),
      Summary: ({ payload }) => Rpc.fork(read(payload, summary)),
      Orders: ({ payload }) => Rpc.fork(read(payload, ({ trader }, accountId) => Ledger.orders(trader, accountId))),
      Leverages: ({ payload }) =>
        Rpc.fork(
          read(payload, ({ trader }, accountId) =>
            [...venue.instruments.keys()].map((symbol) => ({
              symbol,
              leverage: Ledger.leverage(trader, accountId, symbol)
            }))
          )
        ),
      Watermarks: ({ payload }) => Rpc.fork(read(payload, (seat) => seat.watermarks())),
      Credit: ({ payload: { cost, userId, ...command } }) => change(userId, cost, { _tag: "Credit", ...command }),
      Transfer: ({ payload: { cost, userId, ...command } }) => change(userId, cost, { _tag: "Transfer", ...command }),
      SetLeverage: ({ payload: { cost, userId, ...command } }) =>
        change(userId, cost, { _tag: "SetLeverage", ...command }),
      OpenAccount: ({ payload: { cost, userId, ...command } }) =>
        change(userId, cost, { _tag: "OpenAccount", ...command }),
      // It asks no market.
      Arm: ({ payload: { cost, userId, ...command } }) =>
        change(userId, cost, { _tag: "Arm", ...command }, () =>
          Effect.sync(() => {
            if (command.armed) disconnects.arming(command.connectionId)
          })
        ),
      Attach: ({ payload }) =>
        Rpc.fork(
          Effect.suspend(() => {
            disconnects.attach(payload.gatewayId, payload)
            return Effect.asVoid(seats.wake(payload.userId))
          })
        ),
      Detach: ({ payload: { connectionId, userId } }) =>
        Rpc.fork(Effect.map(seats.wake(userId), (seat) => disconnects.detach(connectionId, seat))),
      Renew: ({ payload: { connections, gatewayId } }) =>
        Rpc.fork(
          Effect.sync(() => {
            disconnects.renew(gatewayId, connections)
            const summaries: Array<AccountSummary> = []
            for (const { accountId, userId, wanted } of connections) {
              const seat = seats.get(userId)
              if (seat === undefined) seats.rouse(userId)
              // Until every market has answered nothing is told: it would be less than there is.
              const found = wanted && seat?.isOpen() === true ? summary(seat, accountId) : undefined
              if (found !== undefined) summaries.push(found)
            }
            return summaries
          })
        ),
      Rouse: () => Effect.void
    })
  }),
  { maxIdleTime: "365 days" }
)

const refused = (commandId: string, refusal: SubmitRefusal): Submitted => ({ _tag: "Refused", commandId, refusal })

function summary({ trader }: Seat, accountId: string): AccountSummary | undefined {
  const balance = Ledger.balance(trader, accountId)
  return balance === undefined ? undefined : { balance, holdings: Ledger.holdings(trader, accountId) }
}
