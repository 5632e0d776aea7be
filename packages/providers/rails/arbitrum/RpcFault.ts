/** Reasons why an endpoint did not respond to a call. */
import { Schema } from "effect"
import { isRateSentence } from "../../HttpAnswer.ts"

/** Failure of an endpoint to return the result of a call. `reason` omits the URL, which might contain a key. */
export class RpcFault extends Schema.TaggedError<RpcFault>()("RpcFault", {
  endpoint: Schema.String,
  reason: Schema.String,
  kind: Schema.Literals([
    /** Unreachable, or the response has an unexpected form. */
    "fault",
    /** A definite refusal, which a repeat would receive again. */
    "refusal",
    /** The credentials are refused for every call. */
    "denied",
    /** The response exceeds the limit of the reader or of the server, so each request must be smaller. */
    "large",
    /** Too many requests. */
    "rate",
    /** Rate refusal of some calls of a batch while others succeeded. */
    "partial",
    /** Either a rate limit or a size limit was exceeded; the refusal does not state which. */
    "limit"
  ]),
  /** Pause that the endpoint requests after a rate refusal. */
  retryAfterMillis: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    return `${this.endpoint}: ${this.reason}`
  }
}

/** JSON-RPC error. Providers vary its form: the code might be text, and the whole error might be a plain text. */
export interface RpcError {
  readonly code: number | string | undefined
  readonly message: string
}

/** Classifies a JSON-RPC error by code and message, whatever the HTTP status. */
export const kindOf = ({ code, message }: RpcError, status: number): RpcFault["kind"] => {
  if (status === 429 || Number(code) === 429 || isRateSentence(message)) return "rate"
  // Rate limits and size limits share one code (EIP-1474); only the message distinguishes them.
  if (Number(code) === limitExceeded && !sizeWords.test(message)) return "limit"
  if (Number(code) === responseTooLarge) return "large"
  return deniedStatuses.has(status) ? "denied" : "refusal"
}

/** Returns true for a fault that calls for a pause and a retry. */
export const isRate = ({ kind }: RpcFault): boolean => kind === "rate" || kind === "partial" || kind === "limit"

/** Returns true if a smaller request might succeed. */
export const isTooMuch = (fault: RpcFault): boolean => fault.kind !== "fault" && !isRate(fault)

/** Classifies the status of a server or proxy that refuses a request without a JSON-RPC error. */
export const kindOfStatus = (status: number): RpcFault["kind"] =>
  status === 429 ? "rate" : largeStatuses.has(status) ? "refusal" : "fault"

const limitExceeded = -32_005
/** Code with which a node refuses the part of a batch beyond its limit. */
const responseTooLarge = -32_003
const sizeWords = /\b(results?|blocks?|range|logs?|size|large|batch|address(es)?|items?|entries|wide)\b/i
const largeStatuses = new Set([400, 413, 504])
const deniedStatuses = new Set([401, 402, 403, 407])
