/** Assurance levels of a session, and the methods of authentication behind them. */
import { Schema } from "effect"

/** `aal1` is one factor, `aal2` is two. */
export const Assurance = Schema.Literals(["aal1", "aal2"])
export type Assurance = typeof Assurance.Type

const Method = Schema.Struct({
  method: Schema.String,
  /** Unix seconds. */
  timestamp: Schema.Number
})
export type Method = typeof Method.Type
export const Methods = Schema.Array(Method)
