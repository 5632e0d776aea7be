/** Parser for signed wallet messages (EIP-4361), restricted to the form that the venue accepts. */
import { millisOfDateTime } from "@venue/domain/Rfc3339"
import { Result, Schema } from "effect"
import { SiweMessage } from "siwe"
import { checksummed, isAddress } from "./WalletAddress.ts"

export interface WalletMessage {
  readonly domain: string
  /** Address as written in the message. */
  readonly address: string
  readonly statement: string
  readonly uri: string
  /** Decimal number from 1 to 2^53 - 1. */
  readonly chainId: string
  readonly nonce: string
  /** Time as written in the message. */
  readonly issuedAt: string
  readonly issuedAtMillis: number
  /** Time as written in the message. */
  readonly expirationTime: string | undefined
  readonly expiresAtMillis: number | undefined
  readonly notBeforeMillis: number | undefined
  readonly requestId: string | undefined
  readonly resources: ReadonlyArray<string>
}

/** The text is not a valid message. `fault` is a word for logs, and contains no part of the message. */
export class MalformedMessage extends Schema.TaggedError<MalformedMessage>()("MalformedMessage", {
  fault: Schema.String
}) {}

export const minLength = 64
export const maxLength = 20_480

export interface Reading {
  readonly acceptLowercaseAddress?: boolean | undefined
}

/** Addressee of a message and its validity times. */
export type Claims = Pick<
  WalletMessage,
  "domain" | "address" | "statement" | "uri" | "issuedAtMillis" | "expiresAtMillis" | "notBeforeMillis"
>

/**
 * Extracts a message's claims without parsing, so that invalid messages from unauthenticated callers are refused
 * cheaply. Returns undefined if the message cannot be valid; otherwise `read` decides. `read` costs more than
 * verifying a signature, and a hundred times more for a long text.
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

/** Parses a message of the one form that the venue accepts. The caller must check addressee, times and signer. */
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
  // The library accepts only checksummed addresses, and parses the list of resources slowly, which the venue does not use.
  const [before, resources] = withoutResources(lines.with(1, checksummed(address)).join("\n"))
  if (resources.length > maxResources) return malformed("resources")
  const shortened = resources.map(shortOf)
  if (shortened.includes(undefined)) return malformed("grammar")
  const usual = before + shortened.map((uri) => `\n- ${uri}`).join("")
  const parsed = Result.try(() => new SiweMessage(usual))
  if (Result.isFailure(parsed)) return malformed("grammar")
  const fields = parsed.success
  // The library reads 01 as 1 and drops empty fields; the signed text would differ from the parsed one.
  if (fields.toMessage() !== usual) return malformed("rewritten")
  const fault = restrictions.find(([, holds]) => !holds(fields))?.[0]
  if (fault !== undefined) return malformed(fault)
  const message = { ...messageOf(address, fields), resources }
  const { expiresAtMillis = Infinity, issuedAtMillis } = message
  return issuedAtMillis < expiresAtMillis ? Result.succeed(message) : malformed("expiration")
}

/**
 * Returns the fault in a message's times, or undefined if the times are valid. The issue time can be at most ten
 * minutes old, or `leewaySeconds` ahead of this clock.
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
/** Matches user info before the host, as in `https://user@host/`. */
const userInfo = /^[^/?#]*\/\/[^/?#]*@/
/** Pattern for an RFC 3339 time, without leap seconds. */
const moment = String.raw`\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):\d\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)`
const dateTime = new RegExp(`^${moment}$`)

/** Matches a message line by line. Adjacent parts never match the same text, so matching takes linear time. */
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

/** Fields that the grammar allows but the venue refuses, keyed by the fault's name. */
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

/** Splits a text into the resources at its end and the text before them. */
const withoutResources = (text: string): readonly [before: string, resources: ReadonlyArray<string>] => {
  const title = "\nResources:"
  const at = text.indexOf(`${title}\n- `)
  if (at < 0) return [text, []]
  const end = at + title.length
  return [text.slice(0, end), text.slice(end + "\n- ".length).split("\n- ")]
}

/** Returns a short equivalent of an RFC 3986 URI in linear time, or undefined for any other text. */
const shortOf = (uri: string): string | undefined => {
  const { groups } = uriForm.exec(uri) ?? {}
  return groups && (groups["address"] === undefined ? "a:" : `a://${groups["address"]}`)
}

/** A host in brackets is left for the library to parse, because an IPv6 address is short. */
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
