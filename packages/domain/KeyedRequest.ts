/** A request with a key that its client chose, so that it may be sent again: it is done once (rule 22). */
import { Schema } from "effect"

export const KeyedRequest = Schema.Struct({
  /** Follows from the user, what is asked and the key; the command has the same id. */
  requestId: Schema.String,
  /** Follows from all that was asked. */
  fingerprint: Schema.String
})
export type KeyedRequest = typeof KeyedRequest.Type

/** It is recorded beside what was done for the request, in the same row. */
export const RequestKept = Schema.TaggedStruct("RequestKept", { ...KeyedRequest.fields, atMillis: Schema.Number })
export type RequestKept = typeof RequestKept.Type

/** The same was asked with this key before, and was done then. */
export class RequestDone extends Schema.TaggedError<RequestDone>()("RequestDone", { requestId: Schema.String }) {}

/** Something else was asked with this key. */
export class RequestKeyReused extends Schema.TaggedError<RequestKeyReused>()("RequestKeyReused", {
  requestId: Schema.String
}) {}

/** It is known for so long, and as long as so few came after it. */
export const requestKeptMillis = 24 * 60 * 60 * 1000
export const requestsKept = 4_096
