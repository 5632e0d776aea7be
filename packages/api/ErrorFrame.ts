/** Error frame of both sockets. */
import { Schema } from "effect"
import type { Malformed } from "./Malformed.ts"
import * as Member from "./Member.ts"

/** Code of an error frame. */
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

/** Echo of the request in an `ack` or `err`. */
export const IncomingMessage = Schema.Union([Schema.Record(Schema.String, Schema.Unknown), Schema.String]).annotate({
  description:
    "Echo of the request. A JSON object of at most 8,192 characters is echoed unchanged. Any other request is echoed as " +
    "a string of its first 8,192 characters. Omitted if the request might contain a credential."
})

/** Body of an error frame. */
export const ErrorResponse = Schema.Struct({
  error_code: ErrorCode.annotate({ description: "Code of the error." }),
  message: Member.text("Human-readable explanation of the error and of the expected value"),
  incoming_message: Schema.optionalKey(IncomingMessage)
}).annotate({ identifier: "ErrorResponse" })
export type ErrorResponse = typeof ErrorResponse.Type

/** Returns an error frame; `incoming` is the JSON text of the echo (`Incoming.echo`), or `undefined` for no echo. */
export const err = (code: ErrorCode, message: string, incoming?: string | undefined): string =>
  `{"err":{"error_code":"${code}","message":${JSON.stringify(message)}${
    incoming === undefined ? "" : `,"incoming_message":${incoming}`
  }}}`

/** Returns the error frame for a malformed frame. */
export const malformed = (refusal: Malformed): string => err(refusal.code, refusal.message, refusal.incoming)

/** Returns the error frame for an exceeded rate limit, which states a wait of at least 0.1 s. */
export const rateLimited = (retryAfterMillis: number, incoming: string | undefined): string =>
  err("RateLimited", `rate exceeded, retry after ${Math.max(1, Math.ceil(retryAfterMillis / 100)) / 10} s`, incoming)
