/** What a credential may permit, by name. */
import { Schema } from "effect"

/** A user may give these to a key of their own. */
export const Selectable = Schema.Literals([
  "view_orders",
  "view_positions",
  "view_balance",
  "execute_orders",
  "subaccount_ops",
  "deposit_withdraw"
])

/** There are no others: the operator gives `register_user`, and a key issued to a builder has `withdraw_registered`. */
export const Permission = Schema.Literals([...Selectable.literals, "register_user", "withdraw_registered"])
export type Permission = typeof Permission.Type

/** A key that a builder obtained for a user may do this, on the user's main account alone. */
export const ofBuilderKey: ReadonlyArray<Permission> = [
  "view_orders",
  "view_positions",
  "view_balance",
  "execute_orders",
  "withdraw_registered"
]
