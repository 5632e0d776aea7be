/** The steps by which a user comes to trade and to move money. */
import { Schema } from "effect"

/** A user may lack these; `frozen` was done by an operator. */
export const Missing = Schema.Literals(["identity", "terms", "region", "second_factor", "frozen"])
export type Missing = typeof Missing.Type
