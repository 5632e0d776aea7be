/** Operators, the people who run the venue, and their roles. */
import { Schema } from "effect"
import * as Text from "./Text.ts"

/** Name of an operator, in lower case. The audit log refers to operators by name, so a name is never reused. */
export const OperatorName = Schema.String.check(
  Text.matches(
    "^[a-z0-9][a-z0-9._-]{1,63}$",
    "2 to 64 characters from a-z, 0-9, dot, underscore and hyphen, starting with a letter or digit"
  )
)

/**
 * Operator's role. A viewer can only read, a treasurer can also decide about deposits and withdrawals, an admin can
 * do everything.
 */
export const OperatorRole = Schema.Literals(["viewer", "treasurer", "admin"])
export type OperatorRole = typeof OperatorRole.Type

/** Returns true if one of the roles permits the action. Every role includes viewer; admin includes all. */
export const mayAct = (roles: ReadonlyArray<OperatorRole>, needed: OperatorRole): boolean =>
  needed === "viewer" ? roles.length > 0 : roles.includes(needed) || roles.includes("admin")

/** Name of the operator whose token is `VENUE_ADMIN_TOKEN`; that operator is in no table and cannot be removed. */
export const firstOperator = "operator"

/** Lifetime of an operator's token in days: the default of an appointment, and the maximum. */
export const tokenDays = { usual: 90, most: 365 } as const

/** Lifetime of an operator's session in hours. */
export const sessionHours = 12
