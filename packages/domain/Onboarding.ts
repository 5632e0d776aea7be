/** Requirements that a user must meet to trade and to move money. */
import { Schema } from "effect"

/** An unmet requirement of a user; `frozen` means that an operator froze the user. */
export const Missing = Schema.Literals(["identity", "terms", "region", "second_factor", "frozen"])
export type Missing = typeof Missing.Type
