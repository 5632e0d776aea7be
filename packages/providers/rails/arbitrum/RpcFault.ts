/** Why an endpoint of the chain did not answer a call. */
import { Schema } from "effect"
import { isRateSentence } from "../../HttpAnswer.ts"

/** `reason` holds nothing of the address, since that may hold a key. */
export class RpcFault extends Schema.TaggedError<RpcFault>()("RpcFault", {
  endpoint: Schema.String,
  reason: Schema.String,
  kind: Schema.Literals([
    /** It cannot be reached, or its answer has another form. */
    "fault",
    /** It answered, and the answer was no: the same call again meets the same. */
    "refusal",
    /** It refuses the credentials, whatever is called. */
    "denied",
    /** It answers more than is read, or than it sends: less has to be asked at once. */
    "large",
    /** Requests came too fast. */
    "rate",
    /** A rate refusal of some calls of a batch, while others were answered. */
    "partial",
    /** A limit was exceeded, of rate or of size: the refusal does not say which. */
    "limit"
  ]),
  /** The pause that the endpoint asks for after a refusal for rate. */
  retryAfterMillis: Schema.optionalKey(Schema.Int)
}) {
  override get message() {
    return `${this.endpoint}: ${this.reason}`
  }
}

/** The error of JSON-RPC. Providers keep its form loosely: a code may be a text, and the error a text alone. */
export interface RpcError {
  readonly code: number | string | undefined
  readonly message: string
}

/** Classifies a JSON-RPC error by its code and words, whatever the HTTP status is. */
export const kindOf = ({ code, message }: RpcError, status: number): RpcFault["kind"] => {
  if (status === 429 || Number(code) === 429 || isRateSentence(message)) return "rate"
  // The same code bounds how often and how much is asked (EIP-1474): only the words tell them apart.
  if (Number(code) === limitExceeded && !sizeWords.test(message)) return "limit"
  if (Number(code) === responseTooLarge) return "large"
  return deniedStatuses.has(status) ? "denied" : "refusal"
}

/** Whether a fault is slowed down for, and the request sent again. */
export const isRate = ({ kind }: RpcFault): boolean => kind === "rate" || kind === "partial" || kind === "limit"

/** Whether a smaller request may be answered. */
export const isTooMuch = (fault: RpcFault): boolean => fault.kind !== "fault" && !isRate(fault)

/** Statuses by which a server or a proxy in front of it refuses much at once without an error of JSON-RPC. */
export const kindOfStatus = (status: number): RpcFault["kind"] =>
  status === 429 ? "rate" : largeStatuses.has(status) ? "refusal" : "fault"

const limitExceeded = -32_005
/** Nodes answer so for what of a batch goes beyond a bound of their own. */
const responseTooLarge = -32_003
const sizeWords = /\b(results?|blocks?|range|logs?|size|large|batch|address(es)?|items?|entries|wide)\b/i
const largeStatuses = new Set([400, 413, 504])
const deniedStatuses = new Set([401, 402, 403, 407])
