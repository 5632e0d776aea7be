/** Reads the messages that wallets sign, EIP-4361, and refuses all that the venue does not need of them. */
import { millisOfDateTime } from "@venue/domain/Rfc3339"
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

export interface Reading {
  readonly acceptLowercaseAddress?: boolean | undefined
}

/** Whom a message was written for and when it holds. */
export type Claims = Pick<
  WalletMessage,
  "domain" | "address" | "statement" | "uri" | "issuedAtMillis" | "expiresAtMillis" | "notBeforeMillis"
>

/**
 * What a message claims, at a glance: for refusing strangers, since to `read` a text costs more than to check its
 * signature, and a long one a hundred times more. Undefined when it cannot be a good message; `read` has the last word.
 */
export const glance = (text: string, { acceptLowercaseAddress = false }: Reading = {}): Claims | undefined => {
  if (text.length > maxLength) return undefined
  const {
    address = "",
    domain = "",
    expires,
    issued,
    notBefore,
    statement = "",
    uri = ""
  } = form.exec(text)?.groups ?? {}
  if (!isAddress(address, acceptLowercaseAddress ? "checksummed or lower case" : "checksummed")) return undefined
  const times = {
    issuedAtMillis: millisOf(issued),
    expiresAtMillis: millisOf(expires),
    notBeforeMillis: millisOf(notBefore)
  }
  const { expiresAtMillis = Infinity, issuedAtMillis } = times
  if (issuedAtMillis === undefined || ![issued, expires, notBefore].every(isDateTime)) return undefined
  if (expiresAtMillis <= issuedAtMillis) return undefined
  return { domain, address, statement, uri, ...times, issuedAtMillis }
}

/**
 * The fields of a message that is written in the one way the venue knows. Whom it was written for, whether it is
 * current and who signed it are asked afterwards.
 */
export const read = (
  text: string,
  { acceptLowercaseAddress = false }: Reading = {}
): Result.Result<WalletMessage, MalformedMessage> => {
  if (text.length < minLength || text.length > maxLength) return malformed("length")
  if (!ascii.test(text)) return malformed("ascii")
  const lines = text.split("\n")
  const address = lines[1] ?? ""
  if (!isAddress(address, acceptLowercaseAddress ? "checksummed or lower case" : "checksummed")) {
    return malformed("address")
  }
  // The library knows no other letter case than the checksum, and takes its time over resources, which mean nothing here.
  const [before, resources] = withoutResources(lines.with(1, checksummed(address)).join("\n"))
  if (resources.length > maxResources) return malformed("resources")
  const shortened = resources.map(shortOf)
  if (shortened.includes(undefined)) return malformed("grammar")
  const usual = before + shortened.map((uri) => `\n- ${uri}`).join("")
  const parsed = Result.try(() => new SiweMessage(usual))
  if (Result.isFailure(parsed)) return malformed("grammar")
  const fields = parsed.success
  // It reads 01 as 1 and leaves out what is empty: then what was signed is another text than what was read.
  if (fields.toMessage() !== usual) return malformed("rewritten")
  const fault = restrictions.find(([, holds]) => !holds(fields))?.[0]
  if (fault !== undefined) return malformed(fault)
  const message = { ...messageOf(address, fields), resources }
  const { expiresAtMillis = Infinity, issuedAtMillis } = message
  return issuedAtMillis < expiresAtMillis ? Result.succeed(message) : malformed("expiration")
}

/**
 * Why the message does not hold now, or undefined. It may be ten minutes old, and `leewaySeconds` younger than our
 * clock, since clocks differ.
 */
export const untimely = (
  { expiresAtMillis = Infinity, issuedAtMillis, notBeforeMillis = -Infinity }: Omit<Claims, "address">,
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
/** This is one form of RFC 3339, without leap seconds. */
const moment = String.raw`\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`
const dateTime = new RegExp(`^${moment}$`)

/** Every line of a message, each in the fewest characters that are ever good in it. No two parts match the same text. */
const form = new RegExp(
  [
    String.raw`^(?<domain>[^\s/@A-Z]+) wants you to sign in with your Ethereum account:`,
    String.raw`(?<address>0x[0-9a-fA-F]{40})`,
    "",
    String.raw`(?<statement>[\w\-.~:/?#[\]@!$&'()*+,;= ]+)`,
    "",
    String.raw`URI: (?<uri>[a-zA-Z][\w+.-]*:(?!//[^/?#\n]*@)[\w\-.~:/?#[\]@!$&'()*+,;=%]*)`,
    "Version: 1",
    "Chain ID: [1-9][0-9]{0,15}",
    "Nonce: [A-Za-z0-9]{8,128}",
    `Issued At: (?<issued>${moment})`
  ].join("\n") +
    `(?:\nExpiration Time: (?<expires>${moment}))?` +
    `(?:\nNot Before: (?<notBefore>${moment}))?` +
    String.raw`(?:\nRequest ID: [^\n]{1,256})?(?:\nResources:(?:\n- [^\n]+){0,8})?$`
)

const isDateTime = (time: string | undefined): boolean =>
  time === undefined || (dateTime.test(time) && millisOfDateTime(time) !== undefined)

/** What the grammar allows and we do not, each by the name of its fault. */
const restrictions: ReadonlyArray<readonly [fault: string, holds: (fields: SiweMessage) => boolean]> = [
  ["scheme", ({ scheme }) => scheme === undefined],
  ["domain", ({ domain }) => domain === domain.toLowerCase() && !domain.includes("@")],
  ["statement", ({ statement = "" }) => statement !== ""],
  ["uri", ({ uri }) => !userInfo.test(uri)],
  ["chain_id", ({ chainId }) => chainId > 0 && Number.isSafeInteger(chainId)],
  ["nonce", ({ nonce }) => nonce.length <= 128],
  ["date_time", ({ expirationTime, issuedAt, notBefore }) => [issuedAt, expirationTime, notBefore].every(isDateTime)],
  ["request_id", ({ requestId = "" }) => requestId.length <= 256]
]

const maxResources = 8

/** The URIs at the end of a text, and what is before them. */
const withoutResources = (text: string): readonly [before: string, resources: ReadonlyArray<string>] => {
  const title = "\nResources:"
  const at = text.indexOf(`${title}\n- `)
  if (at < 0) return [text, []]
  const end = at + title.length
  return [text.slice(0, end), text.slice(end + "\n- ".length).split("\n- ")]
}

/** A short URI for one by RFC 3986, in time that grows with its length alone; undefined for what is no URI. */
const shortOf = (uri: string): string | undefined => {
  const { groups } = uriForm.exec(uri) ?? {}
  return groups && (groups["address"] === undefined ? "a:" : `a://${groups["address"]}`)
}

/** What is between brackets is left for the library to look at: an address of IPv6 is short. */
const uriForm = (() => {
  const some = (others: string) => String.raw`(?:[\w.~!$&'()*+,;=${others}-]|%[0-9a-fA-F]{2})*`
  const host = String.raw`(?:(?<address>\[[0-9a-fA-F:.]{1,64}\])|\[v[0-9a-fA-F]+\.[\w.~!$&'()*+,;=:-]+\]|${some("")})`
  const authority = String.raw`//(?:${some(":")}@)?${host}(?::\d*)?(?:/${some(":@/")})?`
  const path = String.raw`(?:${authority}|(?!//)${some(":@/")})`
  return new RegExp(String.raw`^[a-zA-Z][a-zA-Z0-9+.-]*:${path}(?:\?${some(":@/?")})?(?:#${some(":@/?")})?$`)
})()

const millisOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : millisOfDateTime(time)

const messageOf = (address: string, fields: SiweMessage): Omit<WalletMessage, "resources"> => {
  const { chainId, domain, expirationTime, issuedAt = "", nonce, notBefore, requestId, statement = "", uri } = fields
  return {
    domain,
    address,
    statement,
    uri,
    chainId: String(chainId),
    nonce,
    issuedAt,
    issuedAtMillis: millisOfDateTime(issuedAt)!,
    expirationTime,
    expiresAtMillis: millisOf(expirationTime),
    notBeforeMillis: millisOf(notBefore),
    requestId
  }
}
