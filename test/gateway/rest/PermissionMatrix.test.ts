/**
 * Tests of access rules: every endpoint and message by credential, permission, account and user, compared with a
 * reference table.
 */
import { Api } from "@venue/api/rest/Api"
import * as Command from "@venue/api/trade/Command"
import { TreasuryApi } from "@venue/api/treasury/Api"
import * as AccessDecision from "@venue/auth/access/AccessDecision"
import type { Caller } from "@venue/auth/access/Caller"
import { isOpen, rules } from "@venue/auth/access/Permission"
import { AccountId } from "@venue/domain/AccountId"
import { builderKeyPermissions, Permission } from "@venue/domain/Permission"
import { UserId } from "@venue/domain/UserId"
import { routesOf } from "@venue/gateway/http/Gate"
import { Users } from "@venue/storage/access/Users"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { access, bring, enrol, type Progress } from "../../auth/access/Progress.ts"
import { openAccount } from "../../storage/access/OpenedAccount.ts"

interface Expected {
  /** The credential needs at least one of these permissions; if omitted, it needs none. */
  readonly permissions?: ReadonlyArray<string>
  readonly only?: "hmac" | "jwt"
  readonly trades?: true
  /** True if applications are refused. */
  readonly own?: true
  /**
   * Scope of the action: the whole user, or the main account only. `funds` is the main account, and a key must cover
   * all accounts and must not have been obtained by a builder.
   */
  readonly on?: "user" | "main" | "funds"
  /** True if the requested account is ignored. */
  readonly ignoresNamed?: true
}

const trade: Expected = { permissions: ["execute_orders"], trades: true }
const take = { permissions: ["execute_orders"] }
const orders = { permissions: ["view_orders"] }
const positions = { permissions: ["view_positions"] }
const earnings: Expected = { permissions: ["view_balance"], on: "user" }
const subaccounts: Expected = { permissions: ["subaccount_ops"], on: "user", trades: true }
const balance = { permissions: ["view_balance"] }
const person: Expected = { only: "jwt", on: "user" }
const inPerson: Expected = { ...person, own: true }
const funds: Expected = { permissions: ["deposit_withdraw"], trades: true, on: "funds" }
const ownFunds: Expected = { ...funds, own: true }
const fundsPast: Expected = { permissions: ["deposit_withdraw"], on: "funds" }
const toRegistered: Expected = { ...funds, permissions: ["deposit_withdraw", "withdraw_registered"] }
const byBuilder: Expected = { only: "hmac", on: "user", ignoresNamed: true }

/** Reference rules of REST, the trade socket and the treasury interface. */
const reference: Record<string, Expected> = {
  auth: {},
  add_order: trade,
  modify_order: trade,
  cancel_order: take,
  cancel_all_orders: take,
  cancel_on_disconnect: take,
  cancel_all_after: take,
  close_position: trade,
  add_twap: trade,
  cancel_stop_order: take,
  modify_stop_order: trade,
  preview_order: trade,
  set_user_leverage: trade,
  get_order: orders,
  get_user_orders: orders,
  get_user_trades: orders,
  get_user_leverage: positions,
  get_available_leverage_levels: positions,
  "channel order_responses": { permissions: ["view_orders", "execute_orders"] },
  "channel fills": orders,
  "channel stop_orders": orders,
  "channel positions": positions,
  "channel balances": { permissions: ["view_balance", "view_positions"] },
  "channel cancel_on_disconnect": take,
  "GET /user/positions": positions,
  "GET /user/trade": orders,
  "GET /trades-csv": orders,
  "GET /user/historic-orders": orders,
  "GET /historic-orders-csv": orders,
  "GET /user/historic-twaps": orders,
  "GET /historic-twaps-csv": orders,
  "GET /user/historic-pnl": positions,
  "GET /pnl": positions,
  "GET /user/account-equity": balance,
  "GET /user/volume": balance,
  "GET /user/fees": balance,
  "POST /user/leverage": trade,
  "POST /user/orders/preview": trade,
  "GET /user/subaccounts": { permissions: ["view_balance", "subaccount_ops"], on: "user" },
  "POST /user/subaccounts": { ...subaccounts, ignoresNamed: true },
  "GET /user/subaccounts/balance": { permissions: ["view_balance"], on: "user" },
  "GET /user/subaccounts/equity": { permissions: ["view_balance"], on: "user" },
  "GET /user/public-accounts": { permissions: ["view_balance", "subaccount_ops"], on: "user" },
  "POST /user/transfer": subaccounts,
  "GET /user/invitation-codes": earnings,
  "POST /user/invitation-codes/job": earnings,
  "POST /user/invitation-codes/redeem": inPerson,
  "GET /user/referrals/notional-volume": earnings,
  "GET /user/referral-rewards": earnings,
  "GET /user/api-keys": inPerson,
  "POST /user/api-keys": inPerson,
  "PATCH /user/api-keys/:public_key": inPerson,
  "DELETE /user/api-keys/:public_key": inPerson,
  "POST /user/api-keys/:public_key/rotate": inPerson,
  "GET /user/builder-grants": inPerson,
  "DELETE /user/builder-grants/:builder_id": inPerson,
  "GET /user/onboarding": {},
  "POST /user/terms": inPerson,
  "POST /user/verification": inPerson,
  "GET /user/profile": person,
  "PATCH /user/profile": inPerson,
  "GET /user/builder-code": byBuilder,
  "POST /user/builder-code": byBuilder,
  "POST /builder/web3/api-key": { permissions: ["register_user"], only: "hmac", on: "main" },
  "GET /address": toRegistered,
  "POST /address/rotate": funds,
  "GET /withdrawal-addresses": toRegistered,
  "POST /withdrawal-addresses": funds,
  "DELETE /withdrawal-addresses/:id": funds,
  "GET /fiat-address": funds,
  "POST /bank-account": funds,
  "GET /webhooks": funds,
  "POST /webhooks": ownFunds,
  "DELETE /webhooks/:id": ownFunds,
  "DELETE /bank-account/:id": funds,
  "POST /withdraw": toRegistered,
  "POST /fiat-withdraw": funds,
  "GET /withdrawals": fundsPast,
  "GET /deposits": fundsPast
}

const charts = ["candles", "underlier", "funding", "open-interest", "taker-volume", "symbol-long-short"]
const open = [
  "GET /refdata",
  ...charts.map((chart) => `GET /${chart}/:symbol`),
  "GET /settlement-calendar",
  "GET /settlement-prices",
  "GET /symbols/metrics",
  "GET /fees",
  "GET /md/contracts",
  "GET /md/orderbook/:symbol",
  "GET /public/accounts/:account_id/positions",
  "GET /public/trades",
  "GET /defillama/metrics",
  "GET /public/leaderboard",
  "GET /public/account/:account_id/trades",
  "GET /health/live",
  "GET /health/ready",
  "GET /builder/web3/message"
]

it("I38: has one rule for every endpoint and message, and the reference lists every rule", () => {
  const actions = Object.keys(rules)
  assert.sameMembers(actions, Object.keys(reference))
  assert.sameMembers(
    [...new Set([...routesOf(Api), ...routesOf(TreasuryApi)].map(({ method, path }) => `${method} ${path}`))],
    [...open, ...actions.filter((action) => action.includes(" /"))]
  )
  assert.deepStrictEqual(
    [...open, ...actions, "GET /user/nothing"].filter((action) => isOpen(action)),
    open
  )
  for (const type of actions.filter((action) => !action.includes(" "))) {
    const decoded = Command.decode(JSON.stringify({ type, params: {} }))
    assert.notInclude(JSON.stringify(decoded), "a command such as", type)
  }
})

type User = Progress | "with_second_factor"
const users: ReadonlyArray<User> = [
  "onboarded",
  "unverified",
  "without_terms",
  "blocked_region",
  "frozen",
  "with_second_factor"
]
const named = [undefined, "alice", "alice-2", "bob", "nobody"] as const
const grants = [[], ...Permission.literals.map((name) => [name]), builderKeyPermissions, Permission.literals]
const token = { via: "jwt", publicKey: null, sessionId: null, scope: "all_accounts" } as const
const credentials: Readonly<Record<string, Partial<Caller>>> = {
  "a key of all accounts": { scope: "all_accounts" },
  "a key of the main account": { scope: "alice" },
  "a key of a subaccount": { scope: "alice-2" },
  "a key of another's account": { scope: "bob" },
  "a token": { ...token, aal: "aal1" },
  "a token that saw two factors": { ...token, aal: "aal2" },
  "a token of an application": { ...token, aal: "aal1", clientId: "application" },
  "a token of an application that saw two factors": { ...token, aal: "aal2", clientId: "application" }
}

const missing: Readonly<Partial<Record<User, string>>> = {
  unverified: "identity",
  without_terms: "terms",
  blocked_region: "region"
}

/** Returns the expected result: the account to which the action applies, or the refusal. */
const expected = (action: string, caller: Caller, account: string | undefined, user: User): string => {
  const { ignoresNamed, on, only, own, permissions, trades } = reference[action]!
  if (only !== undefined && caller.via !== only) return "credential"
  if (own === true && caller.clientId !== null) return "credential"
  if (permissions !== undefined && !permissions.some((name) => caller.permissions.has(name))) return "permission"
  const accountActedOn = ignoresNamed ? "alice" : (account ?? "alice")
  const acting = on === "user" ? "alice" : accountActedOn
  const isOwn = accountActedOn === "alice" || (accountActedOn === "alice-2" && on !== "main" && on !== "funds")
  const needsAll = on === "user" || (on === "funds" && caller.permissions.has("deposit_withdraw"))
  const isFor = caller.scope === "all_accounts" || (caller.scope === acting && !needsAll)
  if (!isOwn || !isFor) return "account"
  if (user === "frozen") return "UserFrozen"
  if (user === "with_second_factor" && caller.aal === "aal1") return "SecondFactorRequired"
  return trades === true && missing[user] !== undefined ? missing[user] : acting
}

it.effect("I38, I39, I47: allows or refuses each combination as the reference table states", () =>
  Effect.gen(function* () {
    const people = yield* Users
    yield* people.create({ userId: UserId.make("alice"), name: "Alice" })
    yield* people.create({ userId: UserId.make("bob"), name: "Bob" })
    yield* openAccount(UserId.make("alice"), AccountId.make("alice-2"))
    yield* bring(UserId.make("bob"), "onboarded")
    const { authorise } = yield* AccessDecision.make
    const answer = (caller: Caller, action: string, account: string | undefined) =>
      authorise(caller, action, account === undefined ? undefined : AccountId.make(account)).pipe(
        Effect.map(({ accountId }) => accountId),
        Effect.catch((error) =>
          Effect.succeed(
            error._tag === "PermissionDenied"
              ? error.reason
              : error._tag === "OnboardingRequired"
                ? error.missing.join()
                : error._tag
          )
        )
      )

    let tried = 0
    for (const user of users) {
      yield* bring(UserId.make("alice"), user === "with_second_factor" ? "onboarded" : user)
      if (user === "with_second_factor") yield* enrol(UserId.make("alice"))
      for (const [kind, credential] of Object.entries(credentials)) {
        for (const granted of grants) {
          const caller: Caller = { ...key, ...credential, permissions: new Set(granted) }
          for (const action of Object.keys(reference)) {
            for (const account of named) {
              const actual = yield* answer(caller, action, account)
              const wanted = expected(action, caller, account, user)
              if (actual !== wanted) {
                assert.fail(`${user}, ${kind}, [${granted.join()}], ${action} on ${account}: ${actual}, not ${wanted}`)
              }
              tried++
            }
          }
        }
      }
    }
    assert.strictEqual(
      tried,
      users.length * Object.keys(credentials).length * grants.length * Object.keys(rules).length * named.length
    )
  }).pipe(Effect.provide(access))
)

const key: Caller = {
  userId: UserId.make("alice"),
  permissions: new Set(),
  scope: "all_accounts",
  via: "hmac",
  publicKey: "key",
  sessionId: null,
  kid: null,
  aal: null,
  clientId: null
}
