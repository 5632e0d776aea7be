/** An assurance level tells by how many factors a user proved who they are, a method by which. */
import { Schema } from "effect"

/** The first level is one factor, the second is two. */
export const Assurance = Schema.Literals(["aal1", "aal2"])
export type Assurance = typeof Assurance.Type

const Method = Schema.Struct({
  method: Schema.String,
  /** It counts Unix seconds. */
  timestamp: Schema.Number
})
export type Method = typeof Method.Type
export const Methods = Schema.Array(Method)
