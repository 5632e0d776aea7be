import * as AccessDecision from "@venue/auth/access/AccessDecision"
import type { Caller } from "@venue/auth/access/Caller"
import { AccountId } from "@venue/domain/AccountId"
import { UserId } from "@venue/domain/UserId"
import { Sessions } from "@venue/storage/access/Sessions"
import { Users } from "@venue/storage/access/Users"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openAccount } from "../../storage/access/OpenedAccount.ts"
import { caller } from "./Callers.ts"
import { access, bring, enrol, type Progress, session } from "./Progress.ts"

describe("AccessDecision", () => {
  it.effect("I39: allows a caller to act only on the caller's own accounts within the credential's scope", () =>
    Effect.gen(function* () {
      yield* open
      assert.deepStrictEqual(
        {
          whole: yield* reach(caller({})),
          narrow: yield* reach(caller({ scope: "alice-2" })),
          main: yield* reach(caller({ scope: "alice" })),
          thief: yield* reach(caller({ scope: "bob" })),
          token: yield* reach(caller({ via: "jwt", publicKey: null, sessionId: "s", aal: "aal1" }))
        },
        {
          whole: ["alice", "alice-2"],
          narrow: ["alice-2"],
          main: ["alice"],
          thief: [],
          token: ["alice", "alice-2"]
        }
      )
    }).pipe(Effect.provide(access))
  )

  it.effect(
    "user-level actions require a credential for all accounts, and reject a request that names another user's account",
    () =>
      Effect.gen(function* () {
        yield* open
        assert.deepStrictEqual(yield* authorise(caller({}), "GET /user/subaccounts", "alice-2"), "alice")
        assert.strictEqual(yield* refusal(caller({}), "GET /user/subaccounts", "bob"), "account")
        assert.strictEqual(yield* refusal(caller({}), "GET /user/subaccounts", "nobody"), "account")
        for (const scope of ["alice", "alice-2"]) {
          assert.strictEqual(yield* refusal(caller({ scope }), "GET /user/subaccounts"), "account", scope)
        }
      }).pipe(Effect.provide(access))
  )

  it.effect(
    "accepts builder-code actions whatever account the request names, because builder codes belong to the user",
    () =>
      Effect.gen(function* () {
        yield* open
        for (const action of ["GET /user/builder-code", "POST /user/builder-code"]) {
          assert.deepStrictEqual(yield* authorise(caller({}), action, "bob"), "alice")
        }
      }).pipe(Effect.provide(access))
  )

  it.effect("rejects a primary-account action if the request names a different account", () =>
    Effect.gen(function* () {
      yield* open
      const action = "POST /builder/web3/api-key"
      for (const scope of ["all_accounts", "alice"]) {
        assert.strictEqual(yield* authorise(caller({ scope }), action, "alice"), "alice")
        assert.strictEqual(yield* refusal(caller({ scope }), action, "alice-2"), "account")
      }
      assert.strictEqual(yield* refusal(caller({ scope: "alice-2" }), action, "alice-2"), "account")
    }).pipe(Effect.provide(access))
  )

  it.effect("I39: returns the same error for another user's account as for an unknown account", () =>
    Effect.gen(function* () {
      yield* open
      const { authorise } = yield* AccessDecision.make
      const foreign = yield* Effect.flip(authorise(caller({}), "GET /user/trade", AccountId.make("bob")))
      const unknown = yield* Effect.flip(
        authorise(caller({}), "GET /user/trade", AccountId.make("nobody\0".repeat(1_000)))
      )
      assert.deepStrictEqual({ ...foreign }, { ...unknown })
    }).pipe(Effect.provide(access))
  )

  it.effect("rejects an action on the caller's own account if the caller lacks the permission for it", () =>
    Effect.gen(function* () {
      yield* open
      const viewer = caller({ permissions: new Set(["view_orders"]) })
      yield* authorise(viewer, "get_order", "alice")
      assert.strictEqual(yield* refusal(viewer, "add_order"), "permission")
      assert.strictEqual(yield* refusal(viewer, "withdraw"), "no_rule")
      assert.strictEqual(yield* refusal(viewer, "POST /user/api-keys"), "credential")
    }).pipe(Effect.provide(access))
  )

  for (const [progress, trading, reading] of [
    ["onboarded", undefined, undefined],
    ["unverified", "identity", undefined],
    ["without_terms", "terms", undefined],
    ["blocked_region", "region", undefined],
    ["frozen", "UserFrozen", "UserFrozen"]
  ] as const satisfies ReadonlyArray<readonly [Progress, string | undefined, string | undefined]>) {
    it.effect(`I47: ${trading === undefined ? "accepts" : "rejects"} trading by a user in state ${progress}`, () =>
      Effect.gen(function* () {
        yield* open
        yield* bring(UserId.make("alice"), progress)
        for (const one of [
          caller({}),
          caller({ via: "jwt", sessionId: "s", aal: "aal1" }),
          caller({ scope: "alice-2" })
        ]) {
          const account = one.scope === "alice-2" ? "alice-2" : "alice"
          assert.strictEqual(yield* refusal(one, "POST /user/leverage", account), trading)
          assert.strictEqual(yield* refusal(one, "GET /user/trade", account), reading)
          assert.strictEqual(yield* refusal(one, "cancel_order", account), reading)
        }
      }).pipe(Effect.provide(access))
    )
  }

  it.effect("M1: requires a second factor only in sessions of users who have one, and never for API keys", () =>
    Effect.gen(function* () {
      yield* open
      yield* enrol(UserId.make("alice"))
      for (const action of ["auth", "GET /user/trade", "POST /user/leverage"]) {
        assert.strictEqual(
          yield* refusal(caller({ via: "jwt", sessionId: "s", aal: "aal1" }), action),
          "SecondFactorRequired",
          action
        )
        assert.isUndefined(yield* refusal(caller({ via: "jwt", sessionId: "s", aal: "aal2" }), action), action)
        assert.isUndefined(yield* refusal(caller({}), action), action)
      }
    }).pipe(Effect.provide(access))
  )

  it.effect("U1: reads the user from the database, not the cache, before it opens an account or transfers money", () =>
    Effect.gen(function* () {
      yield* open
      const { sessionId } = yield* session(UserId.make("alice"))
      const signedIn = caller({ via: "jwt", publicKey: null, sessionId, aal: "aal1" })
      const actions = ["POST /user/subaccounts", "POST /user/transfer"]
      for (const action of actions) yield* authorise(signedIn, action, undefined)
      yield* (yield* Sessions).end([sessionId])
      for (const action of actions) assert.strictEqual(yield* refusal(signedIn, action), "SessionEnded", action)
      assert.isUndefined(yield* refusal(signedIn, "GET /user/subaccounts"))
    }).pipe(Effect.provide(access))
  )

  it.effect("U1: reads the session from the database, not the cache, before it changes API keys", () =>
    Effect.gen(function* () {
      yield* open
      const { sessionId } = yield* session(UserId.make("alice"))
      const signedIn = caller({ via: "jwt", publicKey: null, sessionId, aal: "aal1" })
      yield* authorise(signedIn, "POST /user/api-keys", undefined)
      yield* (yield* Sessions).end([sessionId])
      assert.strictEqual(yield* refusal(signedIn, "POST /user/api-keys"), "SessionEnded")
      assert.isUndefined(yield* refusal(signedIn, "GET /user/trade"))
    }).pipe(Effect.provide(access))
  )
})

const open = Effect.gen(function* () {
  const users = yield* Users
  yield* users.create({ userId: UserId.make("alice"), name: "Alice" })
  yield* users.create({ userId: UserId.make("bob"), name: "Bob" })
  yield* openAccount(UserId.make("alice"), AccountId.make("alice-2"))
  yield* bring(UserId.make("alice"), "onboarded")
})

const authorise = Effect.fnUntraced(function* (caller: Caller, action: string, named: string | undefined) {
  const access = yield* AccessDecision.make
  return (yield* access.authorise(caller, action, named === undefined ? undefined : AccountId.make(named))).accountId
})

/**
 * Returns why the action is rejected (permission, first missing step or error name), or undefined if it is accepted.
 */
const refusal = (caller: Caller, action: string, named?: string) =>
  authorise(caller, action, named).pipe(
    Effect.as(undefined),
    Effect.catch((error) => {
      if (error._tag === "PermissionDenied") return Effect.succeed(error.reason)
      return Effect.succeed(error._tag === "OnboardingRequired" ? error.missing[0] : error._tag)
    })
  )

const reach = (caller: Caller) =>
  Effect.filter(["alice", "alice-2", "bob", "nobody", "all_accounts"], (accountId) =>
    Effect.isSuccess(authorise(caller, "add_order", accountId))
  )
