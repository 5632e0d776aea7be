/** The trade socket of one gateway: its connections, who may open them, and what they share. */
import { type Auth, builderCodeOf } from "@venue/api/trade/SessionCommand"
import type { Accounts } from "@venue/auth/session/Accounts"
import * as AccessDecision from "@venue/auth/access/AccessDecision"
import { Bearers } from "@venue/auth/session/Bearers"
import { ofToken } from "@venue/auth/access/Caller"
import { Hmac } from "@venue/auth/access/Hmac"
import { Onboarding } from "@venue/auth/access/Onboarding"
import type { UserEligibility } from "@venue/auth/access/Eligibility"
import { Feed } from "@venue/cluster/feed/Feed"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { BuilderCodes } from "@venue/storage/access/BuilderCodes"
import type { Revocations } from "@venue/storage/access/Revocations"
import type { Sessions } from "@venue/storage/access/Sessions"
import type { UserStates } from "@venue/storage/access/UserStates"
import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import type { History } from "../History.ts"
import type { Receiver, Transport } from "../socket/Transport.ts"
import { type Connection, type Gateway, goingDown, open } from "./Connection.ts"
import type { Member, Origin, Unsigned } from "./Member.ts"
import * as ConnectionRevocation from "./ConnectionRevocation.ts"
import * as Backpressure from "./Backpressure.ts"
import * as CommandHandler from "./CommandHandler.ts"
import * as Pulse from "./Pulse.ts"

const maxConnectionsPerUser = 20

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
     * Lets nobody in any more and takes no further command. What connections are owed is answered, within five seconds;
     * then they are closed, and what they had armed begins to end.
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
      const desks = yield* DeskClient
      const feed = yield* Feed
      const hmac = yield* Hmac
      const builders = yield* BuilderCodes
      const bearers = yield* Bearers
      const onboarding = yield* Onboarding
      const access = yield* AccessDecision.make
      const venue = yield* VenueSettings
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const perform = yield* CommandHandler.make
      const connections = new Set<Connection>()
      const perUser = new Map<string, number>()
      let isDraining = false
      /** Sockets that are not closed for good, and desks that have not been told of an end. */
      let leaving = 0
      const pulse = yield* Pulse.make(connections)
      const revocations = yield* ConnectionRevocation.make(connections, access)

      const isFull = (userId: string) => venue.rateLimits && (perUser.get(userId) ?? 0) >= maxConnectionsPerUser
      const callerOf = ({ credential }: Auth, address: string) =>
        credential._tag === "Token"
          ? Effect.map(bearers.verify(Redacted.value(credential.jwt)), ofToken)
          : hmac.verify(
              {
                publicKey: credential.publicKey,
                nonce: credential.nonce,
                timestamp: credential.unixSeconds,
                signature: Redacted.value(credential.signature)
              },
              address
            )
      /** Orders carry only what earns somebody a share: of codes that strangers make up there is no end. */
      const earning = Effect.fnUntraced(function* (code: string) {
        if (code === "") return ""
        return Option.exists(yield* builders.find(code), ({ active }) => active) ? code : ""
      })
      const member = Effect.fnUntraced(function* (connectionId: string, auth: Auth, place: Origin) {
        const { address, country } = place
        const caller = yield* callerOf(auth, address)
        const { userId } = caller
        if (country !== undefined) yield* onboarding.seenIn(userId, country)
        const { accountId, eligibility } = yield* access.authorise(caller, "auth", auth.accountId ?? undefined)
        if (isFull(userId)) return "tooMany" as const
        const builderCode = yield* earning(auth.builderCode ?? place.builderCode)
        yield* desks.ask(userId, (desk) => desk.Attach({ gatewayId: pulse.gatewayId, connectionId, userId, accountId }))
        return { caller, accountId, builderCode, eligibility }
      })
      const refused = (why: string) => Effect.as(Effect.logDebug("a sign-in was refused", why), "denied" as const)
      const signIn = (connectionId: string, auth: Auth, place: Origin): Effect.Effect<Member | Unsigned> =>
        member(connectionId, auth, place).pipe(
          Effect.catchTags({
            Unauthenticated: ({ reason }) => refused(reason),
            InvalidToken: ({ reason }) => refused(reason),
            SessionEnded: ({ _tag }) => refused(_tag),
            PermissionDenied: ({ reason }) => refused(reason),
            UserFrozen: ({ _tag }) => refused(_tag),
            SecondFactorRequired: ({ _tag }) => refused(_tag),
            OnboardingRequired: ({ _tag }) => refused(_tag),
            // Users are never deleted, so whoever has a credential is known.
            UnknownUser: Effect.die,
            DatabaseUnavailable: () => Effect.succeed("unavailable" as const),
            Unavailable: () => Effect.succeed("unavailable" as const)
          }),
          Effect.catchCause((cause) =>
            // Frames wait for the answer.
            Effect.as(Effect.logError("a sign-in failed", cause), "unavailable" as const)
          )
        )

      const count = (userId: string, by: 1 | -1) => {
        const now = (perUser.get(userId) ?? 0) + by
        if (now === 0) perUser.delete(userId)
        else perUser.set(userId, now)
      }
      const left = Effect.sync(() => {
        leaving -= 1
      })
      const gateway: Gateway = {
        nowMillis: () => clock.currentTimeMillisUnsafe(),
        backpressure: Backpressure.make(),
        signIn: (connectionId, auth, place, done) => {
          revocations.begin(connectionId)
          run(
            Effect.map(signIn(connectionId, auth, place), (answer) => {
              // Several may have been let in at once by the look at the start.
              done(typeof answer !== "string" && isFull(answer.caller.userId) ? "tooMany" : answer)
              revocations.ended(connectionId)
            })
          )
        },
        perform,
        follow: (accountId, observe, broken) => feed.follow(accountId, { rank: "socket", observe, broken }),
        pulse: (connection, { accountId, caller: { userId } }, text) => {
          connection.asked(text)
          pulse.due()
          run(
            desks
              .summary({ userId, accountId, cost: noCost })
              .pipe(
                Effect.map(connection.tellSummary),
                Effect.ignore,
                Effect.ensuring(Effect.sync(() => connection.settled(text)))
              )
          )
        },
        due: pulse.due,
        arrived: (connection) => {
          connections.add(connection)
          pulse.arrived()
        },
        opened: (connection) => {
          count(connection.member()!.caller.userId, 1)
          revocations.opened(connection)
        },
        ended: (connection) => {
          connections.delete(connection)
          const known = connection.member()
          if (known === undefined) return
          const { connectionId } = connection
          const { userId } = known.caller
          count(userId, -1)
          // Not before its last orders: the cancel that this starts must find them.
          leaving += 1
          desks.whenReplied(
            userId,
            () =>
              void run(
                desks
                  .ask(userId, (desk) => desk.Detach({ connectionId, userId }))
                  .pipe(Effect.ignore, Effect.ensuring(left))
              )
          )
        }
      }
      const closeAll = () => {
        for (const connection of connections) connection.close(1001, goingDown)
      }
      yield* Effect.addFinalizer(() => Effect.sync(closeAll))

      const drain = Effect.gen(function* () {
        isDraining = true
        for (const connection of connections) connection.drain()
        yield* awaited(answeredWithinMillis, () => ![...connections].some((connection) => connection.isOutstanding()))
        for (const connection of connections) connection.giveUp(Infinity)
        closeAll()
        yield* awaited(leftWithinMillis, () => leaving === 0)
      })

      return TradeGateway.of({
        open: (transport, builderCode, address = "", country) => {
          leaving += 1
          const { closed, text } = open(ids.next().text, gateway, venue.instruments, transport, {
            builderCode: builderCodeOf(builderCode),
            address,
            country
          })
          if (isDraining) transport.close(1001, goingDown)
          return {
            text,
            closed: () => {
              leaving -= 1
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

const answeredWithinMillis = 5_000
/** A client that does not answer its close is cut off sooner than this. */
const leftWithinMillis = 3_000
const lookEveryMillis = 20

/** Waits until it holds, or the time is over: who stops may not be stopped by that. */
const awaited = (millis: number, holds: () => boolean) =>
  Effect.repeat(Effect.sleep(lookEveryMillis), { until: holds, times: millis / lookEveryMillis })
