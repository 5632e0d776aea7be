/** Trade socket of one gateway: its connections and the services that they share. */
import type { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { builderCodeOf } from "@venue/api/trade/SessionCommand"
import type { Accounts } from "@venue/auth/session/Accounts"
import * as AccessDecision from "@venue/auth/access/AccessDecision"
import type { Bearers } from "@venue/auth/session/Bearers"
import type { Hmac } from "@venue/auth/access/Hmac"
import type { Onboarding } from "@venue/auth/access/Onboarding"
import type { UserEligibility } from "@venue/auth/access/Eligibility"
import { Feed } from "@venue/cluster/feed/Feed"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import type { LocalEntities } from "@venue/cluster/clients/LocalEntities"
import type { FeedHeads } from "@venue/cluster/clients/FeedHeads"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import type { Revocations } from "@venue/storage/access/Revocations"
import type { Sessions } from "@venue/storage/access/Sessions"
import type { UserStates } from "@venue/storage/access/UserStates"
import type { Journal } from "@venue/journal/Journal"
import type { ReadTables } from "@venue/storage/history/ReadTables"
import * as Clients from "@venue/telemetry/catalogue/Clients"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Context, Effect, Exit, Layer, identity } from "effect"
import type { History } from "../History.ts"
import { MarketStreams } from "../marketData/MarketStreams.ts"
import type { Receiver, Transport } from "../socket/Transport.ts"
import * as AnswerMetrics from "./AnswerMetrics.ts"
import * as Backpressure from "./Backpressure.ts"
import * as CommandHandler from "./CommandHandler.ts"
import { type Connection, type Gateway, goingDown, open } from "./Connection.ts"
import * as ConnectionRevocation from "./ConnectionRevocation.ts"
import * as Departures from "./Departures.ts"
import * as FillPush from "./FillPush.ts"
import * as Pulse from "./Pulse.ts"
import * as SignIn from "./SignIn.ts"

export class TradeGateway extends Context.Service<
  TradeGateway,
  {
    /**
     * Opens a connection. `builderCode` is the upgrade request's header and `address` is the client's IP address;
     * either can be empty. `country` is the client's two-letter country code, as reported by a trusted proxy.
     */
    readonly open: (transport: Transport, builderCode: string, address?: string, country?: string) => Receiver
    readonly connections: () => number
    /**
     * Closes all connections and refuses new ones. For 2 s, each connection is closed after a reply or when it is
     * idle. The remaining connections can then send nothing more, and receive their outstanding replies within 5 s.
     * At the end, every desk receives `Leave`, which starts cancel-on-disconnect for armed connections, and the
     * remaining connections are closed.
     */
    readonly drain: Effect.Effect<void>
  }
>()("@venue/gateway/TradeGateway") {
  static readonly layer: Layer.Layer<
    TradeGateway,
    never,
    | Accounts
    | Bearers
    | RunningSettings
    | BuilderCodes
    | DeskClient
    | Feed
    | History
    | Journal
    | ReadTables
    | Hmac
    | LocalEntities
    | Onboarding
    | Revocations
    | Sessions
    | FeedHeads
    | UserEligibility
    | UserStates
  > = Layer.effect(
    TradeGateway,
    Effect.gen(function* () {
      const ids = yield* Ids
      const connections = new Set<Connection>()
      const pulse = yield* Pulse.make(connections)
      const departures = yield* Departures.make(pulse.gatewayId)
      const gateway = yield* makeGateway(connections, pulse, departures)
      yield* Meter.collectOne(Clients.signedIn, () => connections.size)
      let isDraining = false
      const closeAll = () => {
        for (const connection of connections) connection.close(1001, goingDown)
      }
      yield* Effect.addFinalizer(() => Effect.sync(closeAll))

      const some = (matches: (connection: Connection) => boolean) => [...connections].some(matches)
      /** Closes matching connections with nothing outstanding; armed ones stay open until the drain ends. */
      const closeIf = (matches: (connection: Connection) => boolean) => {
        for (const connection of connections)
          if (!connection.isOutstanding() && !connection.isLeased && matches(connection))
            connection.close(1001, goingDown)
      }
      const drain = Effect.gen(function* () {
        isDraining = true
        for (const connection of connections) connection.finish()
        yield* waitFor(finishedWithinMillis, () => {
          closeIf((connection) => connection.isQuiet())
          return !some((connection) => connection.isOutstanding() || !connection.isQuiet())
        })
        for (const connection of connections) connection.drain()
        yield* waitFor(answeredWithinMillis, () => {
          closeIf(() => true)
          return !some((connection) => connection.isOutstanding())
        })
        for (const connection of connections) connection.replies.giveUp(Infinity)
        yield* departures.leave(connections)
        closeAll()
        yield* waitFor(departedWithinMillis, departures.areOver)
      })

      return TradeGateway.of({
        open: (transport, builderCode, address = "", country) => {
          departures.opened()
          const origin = { builderCode: builderCodeOf(builderCode), address, country }
          const { closed, ...receiver } = open(ids.next().text, gateway, transport, origin)
          if (isDraining) transport.close(1001, goingDown)
          return {
            ...receiver,
            closed: (isGivenUp) => {
              departures.closed()
              closed(isGivenUp)
            }
          }
        },
        connections: () => connections.size,
        drain
      })
    })
  ).pipe(Layer.provide(MarketStreams.layer))
}

const makeGateway = Effect.fnUntraced(function* (
  connections: Set<Connection>,
  pulse: Pulse.Pulse,
  departures: Departures.Departures
) {
  const feed = yield* Feed
  const { instruments } = yield* VenueSettings
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const access = yield* AccessDecision.make
  const marketStreams = yield* MarketStreams
  const { handle, submit } = yield* CommandHandler.make
  const revocation = yield* ConnectionRevocation.make(connections, access)
  const fillPush = yield* FillPush.make
  yield* Effect.acquireRelease(
    Effect.sync(() => feed.watch(fillPush.flush)),
    (stop) => Effect.sync(stop)
  )
  const signIn = yield* SignIn.make(pulse.gatewayId, access, departures.attached)

  return identity<Gateway>({
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    backpressure: Backpressure.makeTotal(),
    instruments,
    signIn: (connectionId, auth, origin, done) => {
      revocation.begin(connectionId)
      run(
        Effect.map(signIn(connectionId, auth, origin), (result) => {
          done(result)
          revocation.ended(connectionId)
        })
      )
    },
    charge: yield* makeCharge,
    handle,
    submit,
    follow: (accountId, follower) => feed.follow(accountId, { ...follower, rank: "socket" }),
    pulse: pulse.first,
    filled: fillPush.filled,
    measured: yield* AnswerMetrics.make,
    after: (millis, then) => void run(Effect.andThen(Effect.sleep(millis), Effect.sync(then))),
    marketStreams,
    due: pulse.due,
    leased: pulse.leased,
    arrived: (connection) => {
      connections.add(connection)
      pulse.arrived()
    },
    opened: (connection) => {
      pulse.opened()
      revocation.opened(connection)
    },
    ended: (connection) => {
      connections.delete(connection)
      departures.detach(connection)
    }
  })
})

/** Charges a user's bucket. A failed call charges nothing, and its weight is added to the next call. */
const makeCharge = Effect.gen(function* () {
  const desks = yield* DeskClient
  const { rateLimits } = yield* VenueSettings
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const charge: Gateway["charge"] = ({ caller: { userId } }, weight, done) => {
    if (!rateLimits) return done(0)
    const call = desks.ask(userId, (desk) => desk.SpendMessages({ userId, cost: { bucket: "general", weight } }))
    run(Effect.onExit(call, (exit) => Effect.sync(() => done(Exit.isSuccess(exit) ? exit.value : undefined))))
  }
  return charge
})

const finishedWithinMillis = 2_000
const answeredWithinMillis = 5_000
/** Time limit for the sockets to close. Unresponsive clients are disconnected earlier. */
const departedWithinMillis = 3_000
const pollMillis = 20

/** Waits at most `millis` for the condition, so that a stop always ends. */
const waitFor = (millis: number, condition: () => boolean) =>
  Effect.repeat(Effect.sleep(pollMillis), { until: condition, times: millis / pollMillis })
