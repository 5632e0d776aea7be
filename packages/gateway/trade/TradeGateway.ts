/** The trade socket of one gateway: its connections, who may open them, and what they share. */
import type { Auth } from "@venue/api/trade/SessionCommand"
import { Accounts } from "@venue/auth/Accounts"
import { Hmac } from "@venue/auth/Hmac"
import * as Permission from "@venue/auth/Permission"
import { Feed } from "@venue/cluster/Feed"
import { Desks } from "@venue/cluster/Link"
import { Ids } from "@venue/cluster/protocol/Ids"
import { Venue } from "@venue/cluster/protocol/Venue"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import type { History } from "../History.ts"
import type { Receiver, Transport } from "../Transport.ts"
import { type Connection, type Gateway, type Member, open, type Unsigned } from "./Connection.ts"
import * as Dues from "./Dues.ts"
import * as Performing from "./Performing.ts"
import * as Pulse from "./Pulse.ts"

const maxConnectionsPerUser = 20

const noCost = { bucket: "general", weight: 0 } as const

export class TradeGateway extends Context.Service<
  TradeGateway,
  {
    /** A client has come; `builderCode` is the one of its upgrade, or empty. */
    readonly open: (transport: Transport, builderCode: string) => Receiver
    readonly connections: () => number
  }
>()("@venue/gateway/TradeGateway") {
  static readonly layer: Layer.Layer<TradeGateway, never, Accounts | Desks | Feed | History | Hmac> = Layer.effect(
    TradeGateway,
    Effect.gen(function* () {
      const desks = yield* Desks
      const feed = yield* Feed
      const hmac = yield* Hmac
      const accounts = yield* Accounts
      const venue = yield* Venue
      const ids = yield* Ids
      const clock = yield* Clock.Clock
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const perform = yield* Performing.make
      const connections = new Set<Connection>()
      const perUser = new Map<string, number>()
      const { gatewayId } = yield* Pulse.make(connections)

      const isFull = (userId: string) => venue.rateLimits && (perUser.get(userId) ?? 0) >= maxConnectionsPerUser
      const member = Effect.fnUntraced(function* (connectionId: string, { accountId, credential }: Auth) {
        if (credential._tag === "Token") return "denied" as const
        const caller = yield* hmac.verify({
          publicKey: credential.publicKey,
          nonce: credential.nonce,
          timestamp: credential.unixSeconds,
          signature: Redacted.value(credential.signature)
        })
        const { userId } = caller
        const acting = accountId ?? userId
        yield* Effect.provideService(Permission.authorise(caller, "auth", acting), Accounts, accounts)
        if (isFull(userId)) return "tooMany" as const
        yield* desks.ask(userId, (desk) => desk.Attach({ gatewayId, connectionId, userId, accountId: acting }))
        return { caller, accountId: acting, builderCode: "" }
      })
      const signIn = (connectionId: string, auth: Auth): Effect.Effect<Member | Unsigned> =>
        member(connectionId, auth).pipe(
          Effect.catchTags({
            Unauthenticated: ({ reason }) =>
              Effect.as(Effect.logDebug("a sign-in was refused", reason), "denied" as const),
            PermissionDenied: () => Effect.succeed("denied" as const),
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
      const gateway: Gateway = {
        nowMillis: () => clock.currentTimeMillisUnsafe(),
        dues: Dues.make(),
        signIn: (connectionId, auth, done) =>
          void run(
            Effect.map(signIn(connectionId, auth), (answer) =>
              // Several may have been let in at once by the look at the start.
              done(typeof answer !== "string" && isFull(answer.caller.userId) ? "tooMany" : answer)
            )
          ),
        perform,
        follow: (accountId, observe, broken) => feed.follow(accountId, { rank: "socket", observe, broken }),
        pulse: (connection, { accountId, caller: { userId } }, text) => {
          connection.asked(text)
          run(
            desks
              .ask(userId, (desk) => desk.Standing({ userId, accountId, cost: noCost }))
              .pipe(
                Effect.map(connection.tellStanding),
                Effect.ignore,
                Effect.ensuring(Effect.sync(() => connection.settled(text)))
              )
          )
        },
        arrived: (connection) => void connections.add(connection),
        opened: (connection) => count(connection.member()!.caller.userId, 1),
        ended: (connection) => {
          connections.delete(connection)
          const known = connection.member()
          if (known === undefined) return
          const { connectionId } = connection
          const { userId } = known.caller
          count(userId, -1)
          // Not before its last orders: the cancel that this starts must find them.
          connection.whenTaken(
            () => void run(Effect.ignore(desks.ask(userId, (desk) => desk.Detach({ connectionId, userId }))))
          )
        }
      }
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          for (const connection of connections) connection.close(1001, "the venue is going down")
        })
      )

      return TradeGateway.of({
        open: (transport, builderCode) => open(ids.next().text, gateway, venue.instruments, transport, builderCode),
        connections: () => connections.size
      })
    })
  )
}
