/** The error frame, the same on both sockets. */
import { Schema } from "effect"
import type { Malformed } from "./Malformed.ts"
import * as Member from "./Member.ts"

export const ErrorCode = Schema.Literals([
  "InvalidJSONFormat",
  "InvalidParameter",
  "InvalidOrder",
  "AlreadyAuthenticated",
  "PermissionDenied",
  "RateLimited",
  "KycRequired",
  "TncRequired",
  "VenueHalted",
  "VenueCancelOnly",
  "ServerError"
])
export type ErrorCode = typeof ErrorCode.Type

export const IncomingMessage = Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.String]).annotate({
  description:
    "The request that is answered; its text where that was no JSON object, or was long. Absent where it may " +
    "hold a credential."
})

export const ErrorResponse = Schema.Struct({
  error_code: ErrorCode,
  message: Member.text("What was wrong and what would be right, for people"),
  incoming_message: Schema.optionalKey(IncomingMessage)
}).annotate({ identifier: "ErrorResponse" })
export type ErrorResponse = typeof ErrorResponse.Type

/** `incoming` is JSON text (`Incoming.ofObject` of the request), and absent for whatever may hold a credential. */
export const err = (code: ErrorCode, message: string, incoming?: string | undefined): string =>
  `{"err":{"error_code":"${code}","message":${JSON.stringify(message)}${
    incoming === undefined ? "" : `,"incoming_message":${incoming}`
  }}}`

export const malformed = (refusal: Malformed): string => err(refusal.code, refusal.message, refusal.incoming)

/** A tenth of a second is the least a client is told to wait. */
export const rateLimited = (retryAfterMillis: number, incoming: string | undefined): string =>
  err("RateLimited", `rate exceeded, retry after ${Math.max(1, Math.ceil(retryAfterMillis / 100)) / 10} s`, incoming)
