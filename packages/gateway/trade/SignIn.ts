/** Signs a client in on the trade socket: verifies credential and account, and attaches the connection at its desk. */
import type { Auth } from "@venue/api/trade/SessionCommand"
import type { AccessDecision } from "@venue/auth/access/AccessDecision"
import { ofToken } from "@venue/auth/access/Caller"
import { Hmac } from "@venue/auth/access/Hmac"
import { Onboarding } from "@venue/auth/access/Onboarding"
import { Bearers } from "@venue/auth/session/Bearers"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { AccountId } from "@venue/domain/AccountId"
import * as Clients from "@venue/telemetry/catalogue/Clients"
import * as Meter from "@venue/telemetry/Meter"
import { Clock, Effect, Redacted } from "effect"
import * as BuilderAppointment from "../BuilderAppointment.ts"
import type { Member, Origin, SignInFailure } from "./Member.ts"
import type { Departures } from "./Departures.ts"

export type SignIn = (connectionId: string, auth: Auth, origin: Origin) => Effect.Effect<Member | SignInFailure>

export const make = Effect.fnUntraced(function* (
  gatewayId: string,
  access: AccessDecision,
  attached: Departures["attached"]
) {
  const desks = yield* DeskClient
  const onboarding = yield* Onboarding
  const callerOf = yield* makeCallerOf
  const refused = yield* makeRefused
  const earningCode = yield* BuilderAppointment.earningCode

  const member = Effect.fnUntraced(function* (connectionId: string, auth: Auth, origin: Origin) {
    const { address, country } = origin
    const caller = yield* callerOf(auth, address)
    const { userId } = caller
    if (country !== undefined) yield* onboarding.seenIn(userId, country)
    const { accountId, eligibility } = yield* access.authorise(
      caller,
      "auth",
      auth.accountId === null ? undefined : AccountId.make(auth.accountId)
    )
    const builderCode = yield* earningCode(auth.builderCode ?? origin.builderCode)
    attached(connectionId, userId)
    const saidAtMillis = yield* Clock.currentTimeMillis
    yield* desks.ask(userId, (desk) => desk.Attach({ gatewayId, saidAtMillis, connectionId, userId, accountId }))
    return { caller, accountId, builderCode, eligibility }
  })

  const signIn: SignIn = (connectionId, auth, origin) =>
    member(connectionId, auth, origin).pipe(
      Effect.catchTags({
        Unauthenticated: ({ _tag, reason }) => refused(_tag, reason),
        InvalidToken: ({ _tag, reason }) => refused(_tag, reason),
        SessionEnded: ({ _tag }) => refused(_tag),
        PermissionDenied: ({ _tag, reason }) => refused(_tag, reason),
        UserFrozen: ({ _tag }) => refused(_tag),
        SecondFactorRequired: ({ _tag }) => refused(_tag),
        OnboardingRequired: ({ _tag }) => refused(_tag),
        // Users are never deleted, so the user of a valid credential exists.
        UnknownUser: Effect.die,
        TooManyConnections: () => Effect.succeed("tooMany" as const),
        DatabaseUnavailable: () => Effect.succeed("unavailable" as const),
        Unavailable: () => Effect.succeed("unavailable" as const)
      }),
      Effect.catchCause((cause) =>
        // The connection stores frames until the sign-in ends, so a defect must also end the sign-in.
        Effect.as(Effect.logError("a sign-in failed", cause), "unavailable" as const)
      )
    )
  return signIn
})

const makeRefused = Effect.map(
  Meter.counters(Clients.signInsFailed),
  (addFailure) =>
    (tag: string, reason = tag) =>
      Effect.as(Effect.logDebug("a sign-in was refused", reason), "denied" as const).pipe(
        Effect.tap(() => Effect.sync(() => addFailure({ reason: tag })))
      )
)

const makeCallerOf = Effect.gen(function* () {
  const bearers = yield* Bearers
  const hmac = yield* Hmac
  return ({ credential }: Auth, address: string) =>
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
})
