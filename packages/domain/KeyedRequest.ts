/** Requests with an idempotency key. A request that the client repeats is executed only once (rule 22). */
import { Schema } from "effect"

/** Identity of a request with an idempotency key. */
export const KeyedRequest = Schema.Struct({
  /** Derived from user, operation and key; also the id of the command. */
  requestId: Schema.String,
  /** Hash of the whole request. A request with a different hash under the same key is an error. */
  fingerprint: Schema.String
})
export type KeyedRequest = typeof KeyedRequest.Type

/** A keyed request was executed; recorded in the same row as its effect. */
export const RequestKept = Schema.TaggedStruct("RequestKept", { ...KeyedRequest.fields, atMillis: Schema.Number })
export type RequestKept = typeof RequestKept.Type

/** The same request with the same key was executed before. */
export class RequestDone extends Schema.TaggedError<RequestDone>()("RequestDone", { requestId: Schema.String }) {}

/** The key belongs to a different request. */
export class RequestKeyReused extends Schema.TaggedError<RequestKeyReused>()("RequestKeyReused", {
  requestId: Schema.String
}) {}

/** Time in milliseconds for which a key is remembered (rule 22.4). */
export const requestKeptMillis = 24 * 60 * 60 * 1000
/** Maximum number of remembered keys per trader; the oldest is dropped first (rule 22.4). */
export const requestsKept = 4_096
