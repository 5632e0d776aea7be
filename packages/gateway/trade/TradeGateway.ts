/** The trade socket of one gateway: its connections, who may open them, and what they share. */
import { builderCodeOf } from "@venue/api/trade/SessionCommand"
import type { Accounts } from "@venue/auth/session/Accounts"
import * as AccessDecision from "@venue/auth/access/AccessDecision"
import type { Bearers } from "@venue/auth/session/Bearers"
import type { Hmac } from "@venue/auth/access/Hmac"
import type { Onboarding } from "@venue/auth/access/Onboarding"
import type { UserEligibility } from "@venue/auth/access/Eligibility"
import { Feed } from "@venue/cluster/feed/Feed"
import type { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import type { Revocations } from "@venue/storage/access/Revocations"
import type { Sessions } from "@venue/storage/access/Sessions"
import type { UserStates } from "@venue/storage/access/UserStates"
import { Clock, Context, Effect, Layer } from "effect"
import type { History } from "../History.ts"
import type { Receiver, Transport } from "../socket/Transport.ts"
import * as Backpressure from "./Backpressure.ts"
import * as CommandHandler from "./CommandHandler.ts"
import { type Connection, type Gateway, goingDown, open } from "./Connection.ts"
import * as ConnectionRevocation from "./ConnectionRevocation.ts"
import * as Departures from "./Departures.ts"
import * as Pulse from "./Pulse.ts"
import * as SignIn from "./SignIn.ts"
import * as UserConnections from "./UserConnections.ts"

export class TradeGateway extends Context.Service<
  TradeGateway,
  {
    /**
     * A client has come; `builderCode` is what its upgrade gave for one, `address` where it comes from, either may be
     * empty. `country` is where a proxy of ours saw it, as two letters.
     */
    readonly open: (transport: Transport, builderCode: string, address?: string, country?: string) => Receiver
    readonly connections: () => number
    /**
     * Lets nobody in any more and takes no further command. What is outstanding is answered, within five seconds; then
     * the connections are closed, and what they had armed begins to end.
     */
    readonly drain: Effect.Effect<void>
  }
>()("@venue/gateway/TradeGateway") {
  static readonly layer: Layer.Layer<
    TradeGateway,
    never,
    | Accounts
    | Bearers
    | BuilderCodes
    | DeskClient
    | Feed
    | History
    | Hmac
    | Onboarding
    | Revocations
    | Sessions
    | UserEligibility
    | UserStates
  > = Layer.effect(
    TradeGateway,
    Effect.gen(function* () {
      const ids = yield* Ids
      const connections = new Set<Connection>()
      const departures = yield* Departures.make
      const gateway = yield* makeGateway(connections, departures)
      let isDraining = false
      const closeAll = () => {
        for (const connection of connections) connection.close(1001, goingDown)
      }
      yield* Effect.addFinalizer(() => Effect.sync(closeAll))

      const drain = Effect.gen(function* () {
        isDraining = true
        for (const connection of connections) connection.drain()
        yield* awaited(answeredWithinMillis, () => ![...connections].some((connection) => connection.isOutstanding()))
        for (const connection of connections) connection.replies.giveUp(Infinity)
        closeAll()
        yield* awaited(departedWithinMillis, departures.areOver)
      })

      return TradeGateway.of({
        open: (transport, builderCode, address = "", country) => {
          departures.opened()
          const origin = { builderCode: builderCodeOf(builderCode), address, country }
          const { closed, text } = open(ids.next().text, gateway, transport, origin)
          if (isDraining) transport.close(1001, goingDown)
          return {
            text,
            closed: () => {
              departures.closed()
              closed()
            }
          }
        },
        connections: () => connections.size,
        drain
      })
    })
  )
}

const makeGateway = Effect.fnUntraced(function* (connections: Set<Connection>, departures: Departures.Departures) {
  const feed = yield* Feed
  const { instruments, rateLimits } = yield* VenueSettings
  const clock = yield* Clock.Clock
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const access = yield* AccessDecision.make
  const users = UserConnections.make(rateLimits)
  const { handle, submit } = yield* CommandHandler.make
  const pulse = yield* Pulse.make(connections)
  const revocation = yield* ConnectionRevocation.make(connections, access)
  const signIn = yield* SignIn.make(pulse.gatewayId, access, users)

  return {
    nowMillis: () => clock.currentTimeMillisUnsafe(),
    backpressure: Backpressure.makeTotal(),
    instruments,
    signIn: (connectionId, auth, origin, done) => {
      revocation.begin(connectionId)
      run(
        Effect.map(signIn(connectionId, auth, origin), (answer) => {
          // Several may have been let in at once by the look at the start.
          done(typeof answer !== "string" && users.isFull(answer.caller.userId) ? "tooMany" : answer)
          revocation.ended(connectionId)
        })
      )
    },
    handle,
    submit,
    follow: (accountId, observe, broken) => feed.follow(accountId, { rank: "socket", observe, broken }),
    pulse: pulse.first,
    due: pulse.due,
    arrived: (connection) => {
      connections.add(connection)
      pulse.arrived()
    },
    opened: (connection, member) => {
      users.opened(member.caller.userId)
      revocation.opened(connection)
    },
    ended: (connection) => {
      connections.delete(connection)
      const { connectionId, member } = connection
      if (member === undefined) return
      users.ended(member.caller.userId)
      departures.detach(connectionId, member.caller.userId)
    }
  } satisfies Gateway as Gateway
})

const answeredWithinMillis = 5_000
/** A client that does not answer its close is cut off sooner than this. */
const departedWithinMillis = 3_000
const lookEveryMillis = 20

/** Waits until it holds, or the time is over: who stops may not be stopped by that. */
const awaited = (millis: number, holds: () => boolean) =>
  Effect.repeat(Effect.sleep(lookEveryMillis), { until: holds, times: millis / lookEveryMillis })
