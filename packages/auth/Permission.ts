/** What a caller may do: one rule for each action, and no rule means refusal. */
import type { DatabaseUnavailable } from "@venue/storage/DatabaseUnavailable"
import { Effect, Option, Schema } from "effect"
import { Accounts } from "./Accounts.ts"
import { allAccounts, type Caller } from "./Caller.ts"

/** What the permissions of a key may be; the venue gives `register_user` itself. */
export const Permission = Schema.Literals([
  "view_orders",
  "view_positions",
  "view_balance",
  "execute_orders",
  "subaccount_ops",
  "deposit_withdraw",
  "register_user"
])
export type Permission = typeof Permission.Type

export interface Rule {
  readonly via: ReadonlyArray<Caller["via"]>
  /** One of these is enough; none are asked of a caller when the list is empty. */
  readonly anyOf: ReadonlyArray<Permission>
}

const rule = (...anyOf: ReadonlyArray<Permission>): Rule => ({ via: ["hmac", "jwt"], anyOf })

/** Messages and channels of the trade socket by their names, endpoints by method and path. */
export const rules = {
  auth: rule(),
  add_order: rule("execute_orders"),
  modify_order: rule("execute_orders"),
  cancel_order: rule("execute_orders"),
  cancel_all_orders: rule("execute_orders"),
  cancel_on_disconnect: rule("execute_orders"),
  close_position: rule("execute_orders"),
  add_twap: rule("execute_orders"),
  cancel_stop_order: rule("execute_orders"),
  modify_stop_order: rule("execute_orders"),
  set_user_leverage: rule("execute_orders"),
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
  "channel balances": rule("view_balance"),
  "channel cancel_on_disconnect": rule("execute_orders"),
  "GET /user/positions": rule("view_positions"),
  "GET /user/trade": rule("view_orders"),
  "POST /user/leverage": rule("execute_orders")
} satisfies Record<string, Rule>

export type Action = keyof typeof rules

/** `reason` is for logs; the one who asked hears the same whatever it is. */
export class PermissionDenied extends Schema.TaggedError<PermissionDenied>()("PermissionDenied", {
  action: Schema.String,
  reason: Schema.Literals(["no_rule", "credential", "permission", "account"])
}) {}

/** May this caller do this at all? Answers at once: on a connection the account was checked when it was opened. */
export const permits = (caller: Caller, action: string): boolean => objection(caller, action) === undefined

/** May this caller do this on this account: its own, and inside the scope of its credential? */
export const authorise = Effect.fn("Permission.authorise")(function* (
  caller: Caller,
  action: string,
  accountId: string
): Effect.fn.Return<void, PermissionDenied | DatabaseUnavailable, Accounts> {
  const accounts = yield* Accounts
  // Asked even of a caller who is refused anyway, so that all refusals take the same path.
  const owner = yield* accounts.ownerOf(accountId)
  const isOwn = Option.isSome(owner) && owner.value === caller.userId
  const isInScope = caller.scope === allAccounts || caller.scope === accountId
  const reason = objection(caller, action) ?? (isOwn && isInScope ? undefined : "account")
  if (reason !== undefined) return yield* new PermissionDenied({ action, reason })
})

const table: ReadonlyMap<string, Rule> = new Map(Object.entries(rules))

const objection = (caller: Caller, action: string): PermissionDenied["reason"] | undefined => {
  const asked = table.get(action)
  if (asked === undefined) return "no_rule"
  if (!asked.via.includes(caller.via)) return "credential"
  if (asked.anyOf.length > 0 && !asked.anyOf.some((name) => caller.permissions.has(name))) return "permission"
  return undefined
}
