/** Reads the messages that wallets sign, EIP-4361, and refuses all that the venue does not need of them. */
import { Result, Schema } from "effect"
import { SiweMessage } from "siwe"
import { checksummed, isAddress } from "./WalletAddress.ts"

export interface WalletMessage {
  readonly domain: string
  /** As it was written. */
  readonly address: string
  readonly statement: string
  readonly uri: string
  /** A decimal from 1 to 2^53 - 1. */
  readonly chainId: string
  readonly nonce: string
  /** As it was written. */
  readonly issuedAt: string
  readonly issuedAtMillis: number
  /** As it was written. */
  readonly expirationTime: string | undefined
  readonly expiresAtMillis: number | undefined
  readonly notBeforeMillis: number | undefined
  readonly requestId: string | undefined
  readonly resources: ReadonlyArray<string>
}

/** `fault` is a word for logs: it repeats nothing of the message. */
export class MalformedMessage extends Schema.TaggedError<MalformedMessage>()("MalformedMessage", {
  fault: Schema.String
}) {}

export const minLength = 64
export const maxLength = 20_480

/**
 * The fields of a message that is written in the one way the venue knows. Whom it was written for, whether it is
 * current and who signed it are asked afterwards.
 */
export const read = (
  text: string,
  { acceptLowercaseAddress = false }: { readonly acceptLowercaseAddress?: boolean | undefined } = {}
): Result.Result<WalletMessage, MalformedMessage> => {
  if (text.length < minLength || text.length > maxLength) return malformed("length")
  if (!ascii.test(text)) return malformed("ascii")
  const lines = text.split("\n")
  const address = lines[1] ?? ""
  if (!isAddress(address, acceptLowercaseAddress ? "checksummed or lower case" : "checksummed")) {
    return malformed("address")
  }
  // The library knows no other letter case than the checksum.
  const usual = lines.with(1, checksummed(address)).join("\n")
  const parsed = Result.try(() => new SiweMessage(usual))
  if (Result.isFailure(parsed)) return malformed("grammar")
  const fields = parsed.success
  // It reads 01 as 1 and leaves out what is empty: then what was signed is another text than what was read.
  if (fields.toMessage() !== usual) return malformed("rewritten")
  const fault = restrictions.find(([, holds]) => !holds(fields))?.[0]
  if (fault !== undefined) return malformed(fault)
  const message = messageOf(address, fields)
  const { expiresAtMillis = Infinity, issuedAtMillis } = message
  return issuedAtMillis < expiresAtMillis ? Result.succeed(message) : malformed("expiration")
}

/**
 * Why the message does not hold now, or undefined. It may be ten minutes old, and `leewaySeconds` younger than our
 * clock, since clocks differ.
 */
export const untimely = (
  { expiresAtMillis = Infinity, issuedAtMillis, notBeforeMillis = -Infinity }: WalletMessage,
  nowMillis: number,
  leewaySeconds = 60
): "future" | "stale" | "expired" | "not_yet" | undefined => {
  if (issuedAtMillis > nowMillis + leewaySeconds * 1_000) return "future"
  if (nowMillis - issuedAtMillis > maxAgeMillis) return "stale"
  if (nowMillis >= expiresAtMillis) return "expired"
  if (nowMillis < notBeforeMillis) return "not_yet"
  return undefined
}

export const maxAgeMillis = 600_000

const malformed = (fault: string) => Result.fail(new MalformedMessage({ fault }))

const ascii = /^[\n\x20-\x7e]*$/
/** A user before the host, as in `https://user@host/`. */
const userInfo = /^[^/?#]*\/\/[^/?#]*@/
/** Of RFC 3339 one form, without leap seconds. The library has refused the days that no calendar has. */
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

const isDateTime = (time: string | undefined): boolean =>
  time === undefined || (dateTime.test(time) && !Number.isNaN(Date.parse(time)))

/** What the grammar allows and we do not, each by the name of its fault. */
const restrictions: ReadonlyArray<readonly [fault: string, holds: (fields: SiweMessage) => boolean]> = [
  ["scheme", ({ scheme }) => scheme === undefined],
  ["domain", ({ domain }) => domain === domain.toLowerCase() && !domain.includes("@")],
  ["statement", ({ statement = "" }) => statement !== ""],
  ["uri", ({ uri }) => !userInfo.test(uri)],
  ["chain_id", ({ chainId }) => chainId > 0 && Number.isSafeInteger(chainId)],
  ["nonce", ({ nonce }) => nonce.length <= 128],
  ["date_time", ({ expirationTime, issuedAt, notBefore }) => [issuedAt, expirationTime, notBefore].every(isDateTime)],
  ["request_id", ({ requestId = "" }) => requestId.length <= 256],
  ["resources", ({ resources = [] }) => resources.length <= 8]
]

const millisOf = (time: string | undefined): number | undefined => (time === undefined ? undefined : Date.parse(time))

const messageOf = (address: string, fields: SiweMessage): WalletMessage => {
  const {
    chainId,
    domain,
    expirationTime,
    issuedAt = "",
    nonce,
    notBefore,
    requestId,
    resources = [],
    statement = "",
    uri
  } = fields
  return {
    domain,
    address,
    statement,
    uri,
    chainId: String(chainId),
    nonce,
    issuedAt,
    issuedAtMillis: Date.parse(issuedAt),
    expirationTime,
    expiresAtMillis: millisOf(expirationTime),
    notBeforeMillis: millisOf(notBefore),
    requestId,
    resources
  }
}
