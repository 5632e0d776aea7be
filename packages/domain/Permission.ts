/** Permissions of a credential. */
import { Schema } from "effect"

/** Permissions that users can give to their own keys. */
export const Selectable = Schema.Literals([
  "view_orders",
  "view_positions",
  "view_balance",
  "execute_orders",
  "subaccount_ops",
  "deposit_withdraw"
])

/** All permissions. The operator grants `register_user`; keys issued to builders have `withdraw_registered`. */
export const Permission = Schema.Literals([...Selectable.literals, "register_user", "withdraw_registered"])
export type Permission = typeof Permission.Type

/** Permissions of a key that a builder obtained for a user; valid for the user's primary account only. */
export const builderKeyPermissions: ReadonlyArray<Permission> = [
  "view_orders",
  "view_positions",
  "view_balance",
  "execute_orders",
  "withdraw_registered"
]
