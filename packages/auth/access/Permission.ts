/** Authorisation rules, one per action. An action without a rule is refused. */
import type { Permission } from "@venue/domain/Permission"
import { Schema } from "effect"
import type { Caller } from "./Caller.ts"

export interface Rule {
  readonly via: ReadonlyArray<Caller["via"]>
  /** The credential needs one of these permissions; an empty list requires no permission. */
  readonly anyOf: ReadonlyArray<Permission>
  /**
   * Target of the action. `account`: the account that the caller names. `main`: the main account; a request that
   * names another account is refused. `funds`: the main account, as source and destination of deposits and
   * withdrawals; a key limited to one account is refused unless a builder obtained it. `user`: the whole user,
   * regardless of the named account; a key limited to one account is refused.
   */
  readonly on: "account" | "main" | "funds" | "user"
  /** Whether the account that the caller names is ignored, regardless of its owner. */
  readonly ignoresNamed: boolean
  /** Eligibility that the user needs for the action. */
  readonly needs: "none" | "trade" | "fund"
  /** Whether applications are refused, because the action's effects would outlast the application's grant. */
  readonly ownOnly: boolean
  /** Whether each request reads the session and user from the database instead of from caches. */
  readonly fresh: boolean
}

const rule = (...anyOf: ReadonlyArray<Permission>): Rule => ({
  via: ["hmac", "jwt"],
  anyOf,
  on: "account",
  ignoresNamed: false,
  needs: "none",
  ownOnly: false,
  fresh: false
})
const trading: Rule = { ...rule("execute_orders"), needs: "trade" }
/** A user's accounts, and transfers between them. */
const subaccounts: Rule = { ...rule("subaccount_ops"), on: "user", needs: "trade", fresh: true }
/** Requires a session, so that a leaked key cannot create another key. */
const keys: Rule = { ...rule(), via: ["jwt"], on: "user", ownOnly: true, fresh: true }
/** The user's public identity, which an application with the user's session can read. */
const person: Rule = { ...rule(), via: ["jwt"], on: "user" }
/** The user's statements and agreements, which an application is not allowed to make for the user. */
const inPerson: Rule = { ...person, ownOnly: true }
/** Data about the users whom a user referred, and about the rewards for them. */
const earnings: Rule = { ...rule("view_balance"), on: "user" }
/** Deposits and withdrawals. */
const treasury: Rule = { ...rule("deposit_withdraw"), on: "funds", needs: "fund", fresh: true }
/** Withdrawals to registered addresses, which keys obtained by a builder are allowed to make. */
const toRegistered: Rule = { ...treasury, anyOf: ["deposit_withdraw", "withdraw_registered"] }
/** Applications are refused: a webhook would continue to send after the application's grant has ended. */
const messages: Rule = { ...treasury, ownOnly: true }
/** Users who are not allowed to move money can still read their past deposits and withdrawals. */
const treasuryPast: Rule = { ...treasury, needs: "none" }
/** Requests from a builder's backend. */
const builder: Rule = { ...rule(), via: ["hmac"], on: "user", ignoresNamed: true }

/** Rules by the name of a trade socket message or channel, or by an endpoint's method and path. */
export const rules = {
  auth: rule(),
  add_order: trading,
  modify_order: trading,
  // Users who are no longer allowed to trade can still cancel.
  cancel_order: rule("execute_orders"),
  cancel_all_orders: rule("execute_orders"),
  cancel_on_disconnect: rule("execute_orders"),
  cancel_all_after: rule("execute_orders"),
  close_position: trading,
  add_twap: trading,
  cancel_stop_order: rule("execute_orders"),
  modify_stop_order: trading,
  // A preview reveals an order's effect, so it needs the permission to place an order.
  preview_order: trading,
  set_user_leverage: trading,
  get_order: rule("view_orders"),
  get_user_orders: rule("view_orders"),
  get_user_trades: rule("view_orders"),
  get_user_leverage: rule("view_positions"),
  get_available_leverage_levels: rule("view_positions"),
  // A caller who is allowed to place an order can follow the order's outcome.
  "channel order_responses": rule("view_orders", "execute_orders"),
  "channel fills": rule("view_orders"),
  "channel stop_orders": rule("view_orders"),
  "channel positions": rule("view_positions"),
  // One channel sends both positions and balances, so the permission for either suffices.
  "channel balances": rule("view_balance", "view_positions"),
  "channel cancel_on_disconnect": rule("execute_orders"),
  "GET /user/positions": rule("view_positions"),
  "GET /user/trade": rule("view_orders"),
  "GET /trades-csv": rule("view_orders"),
  "GET /user/historic-orders": rule("view_orders"),
  "GET /historic-orders-csv": rule("view_orders"),
  "GET /user/historic-twaps": rule("view_orders"),
  "GET /historic-twaps-csv": rule("view_orders"),
  "GET /user/historic-pnl": rule("view_positions"),
  "GET /pnl": rule("view_positions"),
  "GET /user/account-equity": rule("view_balance"),
  "GET /user/volume": rule("view_balance"),
  "GET /user/fees": rule("view_balance"),
  "POST /user/leverage": trading,
  "POST /user/orders/preview": trading,
  "GET /user/subaccounts": { ...rule("view_balance", "subaccount_ops"), on: "user" },
  "POST /user/subaccounts": { ...subaccounts, ignoresNamed: true },
  "GET /user/subaccounts/balance": { ...rule("view_balance"), on: "user" },
  "GET /user/subaccounts/equity": { ...rule("view_balance"), on: "user" },
  "GET /user/public-accounts": { ...rule("view_balance", "subaccount_ops"), on: "user" },
  "POST /user/transfer": subaccounts,
  "GET /user/invitation-codes": earnings,
  "POST /user/invitation-codes/job": earnings,
  // Made by the user in person, because a referral is permanent.
  "POST /user/invitation-codes/redeem": inPerson,
  "GET /user/referrals/notional-volume": earnings,
  "GET /user/referral-rewards": earnings,
  "GET /user/api-keys": keys,
  "POST /user/api-keys": keys,
  "PATCH /user/api-keys/:public_key": keys,
  "DELETE /user/api-keys/:public_key": keys,
  "POST /user/api-keys/:public_key/rotate": keys,
  "GET /user/builder-grants": keys,
  "DELETE /user/builder-grants/:builder_id": keys,
  "GET /user/onboarding": rule(),
  "POST /user/terms": inPerson,
  "POST /user/verification": inPerson,
  "GET /user/profile": person,
  "PATCH /user/profile": inPerson,
  "GET /user/builder-code": builder,
  "POST /user/builder-code": builder,
  "POST /builder/web3/api-key": { ...rule("register_user"), via: ["hmac"], on: "main" },
  "GET /address": toRegistered,
  "POST /address/rotate": treasury,
  "GET /withdrawal-addresses": toRegistered,
  "POST /withdrawal-addresses": treasury,
  "DELETE /withdrawal-addresses/:id": treasury,
  "GET /fiat-address": treasury,
  "POST /bank-account": treasury,
  "GET /webhooks": treasury,
  "POST /webhooks": messages,
  "DELETE /webhooks/:id": messages,
  "DELETE /bank-account/:id": treasury,
  "POST /withdraw": toRegistered,
  "POST /fiat-withdraw": treasury,
  "GET /withdrawals": treasuryPast,
  "GET /deposits": treasuryPast
} satisfies Record<string, Rule>

export type Action = keyof typeof rules

/** The caller lacks a permission. `reason` is for logs; callers receive the same response for every reason. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  action: Schema.String,
  reason: Schema.Literals(["no_rule", "credential", "permission", "account"])
}) {}

/** Returns true if the caller has permission for this action. The account was checked when the connection opened. */
export const permits = (caller: Caller, action: string): boolean => objection(caller, action) === undefined

/** Returns true if the action needs no credentials. Every action outside this list needs a rule. */
export const isOpen = (action: string): boolean => open.has(action)

const open: ReadonlySet<string> = new Set([
  "GET /refdata",
  "GET /candles/:symbol",
  "GET /underlier/:symbol",
  "GET /funding/:symbol",
  "GET /open-interest/:symbol",
  "GET /taker-volume/:symbol",
  "GET /symbol-long-short/:symbol",
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
  "GET /builder/web3/message",
  // The identity provider and the bank sign their requests.
  "POST /provider/identity",
  "POST /provider/bank",
  "GET /health/live",
  "GET /health/ready",
  "GET /openapi.json",
  "GET /openapi.yaml",
  "GET /asyncapi/trade.json",
  "GET /asyncapi/trade.yaml",
  "GET /asyncapi/market-data.json",
  "GET /asyncapi/market-data.yaml",
  "GET /docs",
  "GET /problems/:page",
  "GET /schemas/:file"
])

export const ruleOf = (action: string): Rule | undefined => table.get(action)

export const objection = (caller: Caller, action: string): PermissionDenied["reason"] | undefined => {
  const wanted = table.get(action)
  if (wanted === undefined) return "no_rule"
  if (!wanted.via.includes(caller.via)) return "credential"
  if (wanted.ownOnly && caller.clientId !== null) return "credential"
  if (wanted.anyOf.length > 0 && !wanted.anyOf.some((name) => caller.permissions.has(name))) return "permission"
  return undefined
}

const table: ReadonlyMap<string, Rule> = new Map(Object.entries(rules))
