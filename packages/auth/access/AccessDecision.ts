/** Authorisation: checks the credential's permissions, the account's owner, and the user's eligibility. */
import { type AccountId, isPrimary, primaryAccountOf } from "@venue/domain/AccountId"
import { allAccounts } from "@venue/domain/ApiKey"
import { Missing } from "@venue/domain/Onboarding"
import { UserId } from "@venue/domain/UserId"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { type SessionEnded, Sessions } from "@venue/storage/access/Sessions"
import { type UserState, UserStates } from "@venue/storage/access/UserStates"
import { Effect, Option, Result, Schema } from "effect"
import { Accounts } from "../session/Accounts.ts"
import type { Caller } from "./Caller.ts"
import { liveSession } from "../session/LiveSession.ts"
import { objection, PermissionDenied, type Rule, ruleOf } from "./Permission.ts"
import { type Eligibility, eligibility, UserEligibility } from "./Eligibility.ts"

export class UserFrozen extends Schema.TaggedError<UserFrozen>()("UserFrozen", { userId: UserId }) {}

/** The user has a second factor, but this session has not verified it. */
export class SecondFactorRequired extends Schema.TaggedError<SecondFactorRequired>()("SecondFactorRequired", {
  userId: UserId
}) {}

/** The user does not meet all requirements of the action; `missing` lists the unmet ones. */
export class OnboardingRequired extends Schema.TaggedError<OnboardingRequired>()("OnboardingRequired", {
  userId: UserId,
  missing: Schema.Array(Missing)
}) {}

export interface Admitted {
  /** Account to which the action applies. */
  readonly accountId: AccountId
  readonly eligibility: Eligibility
}

type Refused =
  | PermissionDenied
  | SessionEnded
  | UserFrozen
  | SecondFactorRequired
  | OnboardingRequired
  | DatabaseUnavailable

export interface AccessDecision {
  /** Authorises an action on the account `named`, or on the main account if `named` is undefined. */
  readonly authorise: (caller: Caller, action: string, named: AccountId | undefined) => Effect.Effect<Admitted, Refused>
  /** Rechecks a caller with an open connection; returns the user's current eligibility. */
  readonly renew: (
    caller: Caller
  ) => Effect.Effect<Eligibility, UserFrozen | SecondFactorRequired | DatabaseUnavailable>
}

export const make: Effect.Effect<AccessDecision, never, Accounts | Sessions | UserEligibility | UserStates> =
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const sessions = yield* Sessions
    const eligibilities = yield* UserEligibility
    const states = yield* UserStates

    const afresh = Effect.fnUntraced(function* ({ sessionId, userId }: Caller) {
      if (sessionId !== null) yield* liveSession(sessions, sessionId)
      return yield* states.find(userId)
    })
    const eligibleAs = (
      { aal, userId }: Caller,
      state: UserState
    ): Result.Result<Eligibility, UserFrozen | SecondFactorRequired> => {
      if (state.frozen || !state.exists) return Result.fail(new UserFrozen({ userId }))
      if (state.hasSecondFactor && aal === "aal1") return Result.fail(new SecondFactorRequired({ userId }))
      return Result.succeed(eligibility(state, eligibilities.requirements))
    }

    return {
      authorise: Effect.fnUntraced(function* (caller, action, named) {
        const rule = ruleOf(action)
        const target = named === undefined || rule?.ignoresNamed ? primaryAccountOf(caller.userId) : named
        // Looked up even if the caller will be refused, so that all refusals take the same time.
        const owner = yield* accounts.ownerOf(target)
        const isOwn = Option.isSome(owner) && owner.value === caller.userId
        const refused = objection(caller, action)
        if (refused !== undefined) return yield* new PermissionDenied({ action, reason: refused })
        if (!isOwn || !isInScope(caller, rule!.on, target)) {
          return yield* new PermissionDenied({ action, reason: "account" })
        }
        const state = rule!.fresh ? yield* afresh(caller) : yield* eligibilities.of(caller.userId)
        const now = yield* Effect.fromResult(eligibleAs(caller, state))
        const missing = missingFor(now, action)
        if (missing.length > 0) return yield* new OnboardingRequired({ userId: caller.userId, missing })
        return { accountId: rule!.on === "user" ? primaryAccountOf(caller.userId) : target, eligibility: now }
      }),
      renew: Effect.fn("AccessDecision.renew")(function* (caller) {
        return yield* Effect.fromResult(eligibleAs(caller, yield* eligibilities.of(caller.userId)))
      })
    }
  })

/** Returns the unmet requirements that block this action. Synchronous, for use on open connections. */
export const missingFor = ({ canFund, canTrade, missing }: Eligibility, action: string): ReadonlyArray<Missing> => {
  const needs = ruleOf(action)?.needs ?? "none"
  if (needs === "none" || (needs === "trade" ? canTrade : canFund)) return nothing
  return needs === "trade" ? missing.filter((gap) => gap !== "second_factor") : missing
}

const isInScope = ({ permissions, scope, userId }: Caller, on: Rule["on"], accountId: AccountId): boolean => {
  const needsAll = on === "user" || (on === "funds" && permissions.has("deposit_withdraw"))
  const isFor = scope === allAccounts || (!needsAll && scope === accountId)
  return isFor && (on === "account" || on === "user" || isPrimary(accountId, userId))
}

const nothing: ReadonlyArray<Missing> = []
