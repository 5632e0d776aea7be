/** The steps by which a user comes to trade and to move money. */
import { Schema } from "effect"

/** What a user may lack; `frozen` is what an operator did. */
export const Missing = Schema.Literals(["identity", "terms", "region", "second_factor", "frozen"])
export type Missing = typeof Missing.Type
