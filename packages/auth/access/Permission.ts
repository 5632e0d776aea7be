/** What a caller may do, and what anybody may: one rule for each action, and no rule means refusal. */
import type { Permission } from "@venue/domain/Permission"
import { Schema } from "effect"
import type { Caller } from "./Caller.ts"

export interface Rule {
  readonly via: ReadonlyArray<Caller["via"]>
  /** One of these is enough; none are asked of a caller when the list is empty. */
  readonly anyOf: ReadonlyArray<Permission>
  /**
   * What it acts on: the account the caller names; the main account, and nobody may name another; the main account as
   * the one by which money comes in and goes out, where a key for one account does not do unless a builder obtained it;
   * or the user as a whole, whichever of their accounts is named, and a key for one account does not do.
   */
  readonly on: "account" | "main" | "funds" | "user"
  /** The named account is not even looked at, whoever's it is. */
  readonly ignoresNamed: boolean
  /** What a user must have come far enough for. */
  readonly needs: "none" | "trade" | "fund"
  /** The user themselves, and no application they let in: what it did would outlive the grant they may withdraw. */
  readonly ownOnly: boolean
  /** The session and the user are asked for in the database at every request, and nothing remembered is believed. */
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
/** Accounts of a user, and money among them. */
const subaccounts: Rule = { ...rule("subaccount_ops"), on: "user", needs: "trade", fresh: true }
/** A key that leaked must not make another. */
const keys: Rule = { ...rule(), via: ["jwt"], on: "user", ownOnly: true, fresh: true }
/** The user as others see them, for whoever signed them in. */
const person: Rule = { ...rule(), via: ["jwt"], on: "user" }
/** What a user agrees to and says of themselves: nobody does it for them, least of all an application that may only read. */
const inPerson: Rule = { ...person, ownOnly: true }
/** Those whom a user has brought, and what that earns. */
const earnings: Rule = { ...rule("view_balance"), on: "user" }
/** Money that comes in and goes out. */
const treasury: Rule = { ...rule("deposit_withdraw"), on: "funds", needs: "fund", fresh: true }
/** What a key that a builder obtained may do of it: it withdraws to addresses that are registered. */
const toRegistered: Rule = { ...treasury, anyOf: ["deposit_withdraw", "withdraw_registered"] }
/** What tells of money by itself would go on telling after the grant of an application. */
const messages: Rule = { ...treasury, ownOnly: true }
/** Whoever may not, or may no longer, move money still reads what became of theirs. */
const treasuryPast: Rule = { ...treasury, needs: "none" }
/** A builder's backend. */
const builder: Rule = { ...rule(), via: ["hmac"], on: "user", ignoresNamed: true }

/** Messages and channels of the trade socket by their names, endpoints by method and path. */
export const rules = {
  auth: rule(),
  add_order: trading,
  modify_order: trading,
  // Whoever may no longer trade may still take orders back.
  cancel_order: rule("execute_orders"),
  cancel_all_orders: rule("execute_orders"),
  cancel_on_disconnect: rule("execute_orders"),
  cancel_all_after: rule("execute_orders"),
  close_position: trading,
  add_twap: trading,
  cancel_stop_order: rule("execute_orders"),
  modify_stop_order: trading,
  // It says what an order would do, and so may whoever may place one.
  preview_order: trading,
  set_user_leverage: trading,
  get_order: rule("view_orders"),
  get_user_orders: rule("view_orders"),
  get_user_trades: rule("view_orders"),
  get_user_leverage: rule("view_positions"),
  get_available_leverage_levels: rule("view_positions"),
  // Whoever may place an order may hear what became of it.
  "channel order_responses": rule("view_orders", "execute_orders"),
  "channel fills": rule("view_orders"),
  "channel stop_orders": rule("view_orders"),
  "channel positions": rule("view_positions"),
  // Positions are read with the balance beside them, so whoever may read those hears it too.
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
  // Whoever brought a user did so for good.
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

/** `reason` is for logs; the one who asked hears the same whatever it is. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  action: Schema.String,
  reason: Schema.Literals(["no_rule", "credential", "permission", "account"])
}) {}

/** May this caller do this at all? Answers at once: on a connection the account was checked when it was opened. */
export const permits = (caller: Caller, action: string): boolean => objection(caller, action) === undefined

/** Whether anybody may ask, without credentials. What is neither here nor among the rules is refused. */
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
  // What they say is signed by the identity provider, and by the bank.
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
  const asked = table.get(action)
  if (asked === undefined) return "no_rule"
  if (!asked.via.includes(caller.via)) return "credential"
  if (asked.ownOnly && caller.clientId !== null) return "credential"
  if (asked.anyOf.length > 0 && !asked.anyOf.some((name) => caller.permissions.has(name))) return "permission"
  return undefined
}

const table: ReadonlyMap<string, Rule> = new Map(Object.entries(rules))
