/** The error frame, the same on both sockets. */
import type { Malformed } from "./Malformed.ts"

export type ErrorCode =
  | "InvalidJSONFormat"
  | "InvalidParameter"
  | "InvalidOrder"
  | "AlreadyAuthenticated"
  | "PermissionDenied"
  | "RateLimited"
  | "KycRequired"
  | "TncRequired"
  | "ServerError"

/** `incoming` is JSON text (`Incoming.ofObject` of the request), and absent for whatever may hold a credential. */
export const err = (code: ErrorCode, message: string, incoming?: string | undefined): string =>
  `{"err":{"error_code":"${code}","message":${JSON.stringify(message)}${
    incoming === undefined ? "" : `,"incoming_message":${incoming}`
  }}}`

export const malformed = (refusal: Malformed): string => err(refusal.code, refusal.message, refusal.incoming)

/** A tenth of a second is the least a client is told to wait. */
export const rateLimited = (retryAfterMillis: number, incoming: string | undefined): string =>
  err("RateLimited", `rate exceeded, retry after ${Math.max(1, Math.ceil(retryAfterMillis / 100)) / 10} s`, incoming)
