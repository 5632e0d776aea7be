/** Assurance levels of a session, and the authentication methods that justify them. */
import { Schema } from "effect"

/** `aal1` means one authentication factor, `aal2` means two. */
export const Assurance = Schema.Literals(["aal1", "aal2"])
export type Assurance = typeof Assurance.Type

const Method = Schema.Struct({
  method: Schema.String,
  /** Unix seconds. */
  timestamp: Schema.Number
})
export type Method = typeof Method.Type
export const Methods = Schema.Array(Method)
