/** A slice of the users: the only door for their trading commands. It decides and hands on; it waits for no market. */
import { Journal } from "@venue/storage/Journal"
import { ReadTables } from "@venue/storage/ReadTables"
import * as Ledger from "@venue/ledger/Ledger"
import { Clock, Effect, Layer, Result } from "effect"
import { Entity, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Feed } from "../Feed.ts"
import { Markets } from "../Link.ts"
import { type Cost, Desk, RateLimited, type Standing, type Submission, type Submitted } from "../protocol/Desk.ts"
import { Ids } from "../protocol/Ids.ts"
import { Unavailable } from "../protocol/Market.ts"
import { Residents, type ResidentDesk } from "../protocol/Resident.ts"
import { Venue } from "../protocol/Venue.ts"
import * as Disconnects from "./Disconnects.ts"
import type { Seat } from "./Seat.ts"
import * as Seats from "./Seats.ts"

/** A market that has not shown itself for so long may not be told to add risk. */
const staleMillis = 2_000

export const DeskLayer: Layer.Layer<
  never,
  never,
  Sharding.Sharding | Journal | ReadTables | Residents | Feed | Markets
> = Desk.toLayer(
  Effect.gen(function*() {
    const { entityId, shardId } = yield* Entity.CurrentAddress
    const sharding = yield* Sharding.Sharding
    const residents = yield* Residents
    const feed = yield* Feed
    const clock = yield* Clock.Clock
    const ids = yield* Ids
    const venue = yield* Venue
    const now = () => clock.currentTimeMillisUnsafe()
    const seats = yield* Seats.make(Effect.sync(() => sharding.hasShardId(shardId)))

    const cancelAll = (seat: Seat, accountId: string) => {
      for (const symbol of seat.symbols()) {
        seat.enter({
          _tag: "CancelAllOrders",
          commandId: ids.next(),
          expiresAtMillis: now() + disconnectExpiryMillis,
          accountId,
          symbol
        })
      }
    }
    const disconnects = yield* Disconnects.make(seats, cancelAll)
    yield* disconnects.wakeArmed(entityId)

    const stale = (symbol: string): boolean => {
      const head = feed.head(symbol)
      return head === undefined || now() - head.heardAtMillis > staleMillis
    }

    const submitOne = ({ cost, request, userId }: Submission): Submitted => {
      const { commandId } = request
      const waitMillis = seats.spend(userId, cost, now())
      if (waitMillis > 0) return { _tag: "RateLimited", commandId, retryAfterMillis: waitMillis }
      const all = request._tag === "CancelAllOrders" && request.symbol === ""
      if (!all && !venue.instruments.has(request.symbol)) return { _tag: "BadSymbol", commandId }
      if (addsRisk(request) && stale(request.symbol)) {
        return refused(commandId, `${request.symbol} cannot record orders now; not placed, try again`)
      }
      const seat = seats.get(userId)
      if (seat === undefined) {
        seats.rouse(userId)
        return refused(commandId, "the account is being loaded; not placed, try again")
      }
      if (!seat.trader.accounts.has(request.accountId)) return refused(commandId, `no account ${request.accountId}`)
      const symbols = all ? seat.symbols() : [request.symbol]
      for (const symbol of symbols) {
        if (!seat.enter(all ? { ...request, symbol } : request)) {
          return refused(commandId, `too many orders wait for ${symbol}; try again`)
        }
      }
      return { _tag: "HandedOn", commandId, symbols }
    }
    const resident: ResidentDesk = {
      submit: (submissions) => submissions.map(submitOne)
    }
    residents.desks.set(entityId, resident)
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        if (residents.desks.get(entityId) === resident) residents.desks.delete(entityId)
      })
    )

    /** A read waits until every market the user has joined has answered. */
    const read = <A>(
      { accountId, cost, userId }: { readonly userId: string; readonly accountId: string; readonly cost: Cost },
      get: (seat: Seat, accountId: string) => A | undefined
    ): Effect.Effect<A, Unavailable | RateLimited> =>
      Effect.gen(function*() {
        yield* charge(userId, cost)
        const seat = yield* seats.wake(userId)
        yield* Effect.callback<void>((resume) => seat.whenOpen(() => resume(Effect.void)))
        const found = get(seat, accountId)
        return found === undefined ? yield* new Unavailable({ what: `account ${accountId}` }) : found
      })
    const charge = (userId: string, cost: Cost) =>
      Effect.suspend(() => {
        const waitMillis = seats.spend(userId, cost, now())
        return waitMillis > 0 ? Effect.fail(new RateLimited({ retryAfterMillis: waitMillis })) : Effect.void
      })

    return Desk.of({
      Submit: ({ payload: { submissions } }) =>
        Effect.as(
          Effect.forEach(new Set(submissions.map(({ userId }) => userId)), seats.wake, { discard: true }),
          submissions
        ).pipe(Effect.map((list) => list.map(submitOne)), Rpc.fork),
      Standing: ({ payload }) => Rpc.fork(read(payload, standing)),
      Orders: ({ payload }) => Rpc.fork(read(payload, ({ trader }, accountId) => Ledger.orders(trader, accountId))),
      Leverages: ({ payload }) =>
        Rpc.fork(read(payload, ({ trader }, accountId) =>
          [...venue.instruments.keys()].map((symbol) => ({
            symbol,
            leverage: Ledger.leverage(trader, accountId, symbol)
          })))),
      Watermarks: ({ payload }) => Rpc.fork(read(payload, (seat) => seat.watermarks())),
      Change: ({ payload: { command, cost, userId } }) =>
        Rpc.fork(Effect.gen(function*() {
          yield* charge(userId, cost)
          const seat = yield* seats.wake(userId)
          // Money and leverage are decided on what every joined market says.
          yield* Effect.callback<void>((resume) => seat.whenOpen(() => resume(Effect.void)))
          const result = yield* Effect.callback<Parameters<Parameters<Seat["change"]>[1]>[0]>((resume) =>
            seat.change(command, (result) => resume(Effect.succeed(result)))
          )
          if (Result.isSuccess(result)) return
          return yield* result.failure === "lost" ? new Unavailable({ what: `user ${userId}` }) : Effect.fail(result.failure)
        })),
      Attach: ({ payload }) =>
        Rpc.fork(Effect.gen(function*() {
          disconnects.attach(payload.gatewayId, payload)
          const seat = yield* seats.wake(payload.userId)
          yield* Effect.callback<void>((resume) => seat.whenOpen(() => resume(Effect.void)))
        })),
      Detach: ({ payload: { connectionId, userId } }) =>
        Rpc.fork(Effect.map(seats.wake(userId), (seat) => disconnects.detach(connectionId, seat))),
      Renew: ({ payload: { connections, gatewayId } }) =>
        Rpc.fork(Effect.gen(function*() {
          disconnects.renew(gatewayId, connections)
          const standings: Array<Standing> = []
          for (const { accountId, userId, wanted } of connections) {
            const seat = yield* seats.wake(userId)
            const found = wanted ? standing(seat, accountId) : undefined
            if (found !== undefined) standings.push(found)
          }
          return standings
        }))
    })
  }),
  { maxIdleTime: "365 days" }
)

/** A cancel after a lost connection has time to wait for its market. */
const disconnectExpiryMillis = 60_000

const refused = (commandId: string, why: string): Submitted => ({ _tag: "Refused", commandId, why })

const addsRisk = (request: Submission["request"]): boolean =>
  (request._tag === "PlaceOrder" && !request.reduceOnly) || request._tag === "ModifyOrder"

function standing({ trader }: Seat, accountId: string): Standing | undefined {
  const balance = Ledger.balance(trader, accountId)
  return balance === undefined ? undefined : { balance, holdings: Ledger.holdings(trader, accountId) }
}
