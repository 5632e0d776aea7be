/** Who runs the venue: people with names, and what each of them may do. */
import { Schema } from "effect"
import * as Text from "./Text.ts"

/** The letters are in lower case; the name stands in the audit, so it is given to nobody else afterwards. */
export const OperatorName = Schema.String.check(
  Text.matches(
    "^[a-z0-9][a-z0-9._-]{1,63}$",
    "2 to 64 of a-z, 0-9, dot, underscore and hyphen, the first a letter or a digit"
  )
)

/** A viewer reads, a treasurer also decides about money that comes and goes, and an admin may do everything. */
export const OperatorRole = Schema.Literals(["viewer", "treasurer", "admin"])
export type OperatorRole = typeof OperatorRole.Type

/** Every role may do what a viewer may. */
export const mayAct = (roles: ReadonlyArray<OperatorRole>, needed: OperatorRole): boolean =>
  needed === "viewer" ? roles.length > 0 : roles.includes(needed) || roles.includes("admin")

/** Whoever starts the venue sets this one's token (`VENUE_ADMIN_TOKEN`); it is in no table, and cannot be removed. */
export const firstOperator = "operator"
