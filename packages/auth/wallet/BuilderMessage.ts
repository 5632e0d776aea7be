/**
 * Message that a wallet signs to give a builder a key. The venue does not store the messages it writes: the nonce
 * proves, on any node and after a restart, that the venue wrote the message, and for which builder and wallet.
 */
import { Result, Redacted, Schema } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, timingSafeEqual } from "node:crypto"
import { authorityOf } from "./SignInSite.ts"
import { checksummed } from "./WalletAddress.ts"
import * as WalletMessage from "./WalletMessage.ts"

/** Template for the text of a signed message. */
export interface Template {
  /** Version, which changes whenever the wording changes. */
  readonly version: string
  /** Text on one line, with the placeholders `{builder_code}`, `{service_name}` and `{agreement_url}`. */
  readonly statement: string
  readonly serviceName: string
  readonly agreementUrl: string
}

export interface BuilderTerms {
  readonly serviceName: string
  readonly uri: string
  readonly agreementUrl: string
  /** Key of the nonce's MAC; equal on every node. */
  readonly macKey: Redacted.Redacted
  /** Second MAC key until `untilMillis`: the previous key, or a new key that other nodes already use. */
  readonly otherMacKey?: { readonly key: Redacted.Redacted; readonly untilMillis: number } | undefined
  readonly otherTemplate?: (Template & { readonly untilMillis: number }) | undefined
}

export class InvalidTerms extends Schema.TaggedError<InvalidTerms>()("InvalidTerms", {
  fault: Schema.Literals(["uri", "agreement_url", "statement"])
}) {}

/** The message is refused: `malformed` if the text alone shows why, otherwise `untrusted`. `fault` is for logs. */
export class BuilderMessageRefused extends Schema.TaggedError<BuilderMessageRefused>()("BuilderMessageRefused", {
  side: Schema.Literals(["malformed", "untrusted"]),
  fault: Schema.String
}) {}

/** Returns the terms if messages can be written and read back with them. */
export const termsOf = (settings: BuilderTerms): Result.Result<BuilderTerms, InvalidTerms> => {
  const invalid = (fault: InvalidTerms["fault"]) => Result.fail(new InvalidTerms({ fault }))
  const templates = templatesOf(settings)
  if (authorityOf(settings.uri, "https:") === undefined) return invalid("uri")
  if (templates.some(({ agreementUrl }) => authorityOf(agreementUrl, "https:") === undefined)) {
    return invalid("agreement_url")
  }
  return templates.every((template) => isReadable(settings, template)) ? Result.succeed(settings) : invalid("statement")
}

/** Writes a message, valid for ten minutes. The address has any letter case; the builder code is a lower-case UUID. */
export const write = (
  terms: BuilderTerms,
  {
    address,
    builderCode,
    nowMillis,
    random16
  }: {
    readonly address: string
    readonly builderCode: string
    readonly nowMillis: number
    /** Sixteen random bytes for the nonce. */
    readonly random16: Uint8Array
  }
): string => {
  const content = { ...terms, template: templateOf(terms), address, builderCode, issuedAtMillis: nowMillis }
  return textOf(content, Buffer.concat([random16, proofOf(terms.macKey, content, random16)]).toString("hex"))
}

/** Reads an unexpired message that the venue wrote for this builder. The caller checks signature and nonce. */
export const read = (
  terms: BuilderTerms,
  text: string,
  builderCode: string,
  nowMillis: number
): Result.Result<
  {
    readonly message: WalletMessage.WalletMessage
    readonly addressLower: string
    readonly nonce: string
    /** URL of the agreement that the signer accepts. */
    readonly agreementUrl: string
  },
  BuilderMessageRefused
> => {
  const templates = templatesOf(terms)
  // Parsing time grows with the text's length, so a text far longer than the template is refused before it is parsed.
  if (templates.every((template) => text.length > 2 * lengthOf(terms, template))) return refused("malformed", "length")
  const parsed = WalletMessage.read(text)
  if (Result.isFailure(parsed)) return refused("malformed", parsed.failure.fault)
  const message = parsed.success
  if (!hasOurFields(message)) return refused("malformed", "fields")
  if (!templates.some((template) => statementOf(template, builderCode) === message.statement)) {
    return refused("malformed", "statement")
  }
  if (message.domain !== domainOf(terms) || message.uri !== terms.uri) return refused("untrusted", "site")

  const { address, issuedAtMillis, nonce } = message
  const isInForce = ({ untilMillis }: { readonly untilMillis: number }) => nowMillis < untilMillis
  const content = templates
    .filter(isInForce)
    .map((template) => ({ ...terms, template, address, builderCode, issuedAtMillis }))
    .find((content) => textOf(content, nonce) === text)
  if (content === undefined) return refused("untrusted", "changed")
  const keys = macKeysOf(terms).filter(isInForce)
  if (!keys.some(({ key }) => isProven(key, content, nonce))) return refused("untrusted", "nonce")
  const fault = WalletMessage.untimely(message, nowMillis, clockLeewaySeconds)
  if (fault !== undefined) return refused("untrusted", fault)
  return Result.succeed({
    message,
    addressLower: address.toLowerCase(),
    nonce,
    agreementUrl: content.template.agreementUrl
  })
}

/** All fields of a message except the nonce. */
interface Content {
  readonly uri: string
  readonly template: Template
  readonly address: string
  readonly builderCode: string
  readonly issuedAtMillis: number
}

/** Maximum clock difference between nodes, in seconds. */
const clockLeewaySeconds = 5
const randomBytes = 16
const proofBytes = 16
const noncePattern = /^[0-9a-f]{64}$/

const refused = (side: BuilderMessageRefused["side"], fault: string) =>
  Result.fail(new BuilderMessageRefused({ side, fault }))

/** Returns the message's template with a link to the agreement. */
export const templateOf = ({
  agreementUrl,
  serviceName
}: Pick<BuilderTerms, "agreementUrl" | "serviceName">): Template => ({
  version: "1",
  statement:
    "I authorize builder code {builder_code} to obtain a trading-only API key for my main account at {service_name}, " +
    "and I accept the Client Agreement ({agreement_url}), the Privacy Policy and the Cookie Policy.",
  serviceName,
  agreementUrl
})

const templatesOf = (terms: BuilderTerms) => [
  { ...templateOf(terms), untilMillis: Infinity },
  ...(terms.otherTemplate === undefined ? [] : [terms.otherTemplate])
]

const macKeysOf = ({ macKey, otherMacKey }: BuilderTerms) => [
  { key: macKey, untilMillis: Infinity },
  ...(otherMacKey === undefined ? [] : [otherMacKey])
]

const hasOurFields = ({
  chainId,
  expiresAtMillis,
  notBeforeMillis,
  requestId,
  resources
}: WalletMessage.WalletMessage): boolean =>
  chainId === "1" &&
  expiresAtMillis !== undefined &&
  notBeforeMillis === undefined &&
  requestId === undefined &&
  resources.length === 0

const statementOf = ({ agreementUrl, serviceName, statement }: Template, builderCode: string): string =>
  statement
    .replace("{builder_code}", () => builderCode)
    .replace("{service_name}", () => serviceName)
    .replace("{agreement_url}", () => agreementUrl)

/** `termsOf` has validated the URL. */
const domainOf = ({ uri }: Pick<BuilderTerms, "uri">): string => new URL(uri).host

const textOf = ({ address, builderCode, issuedAtMillis, template, uri }: Content, nonce: string): string =>
  [
    `${domainOf({ uri })} wants you to sign in with your Ethereum account:`,
    checksummed(address),
    "",
    statementOf(template, builderCode),
    "",
    `URI: ${uri}`,
    "Version: 1",
    "Chain ID: 1",
    `Nonce: ${nonce}`,
    `Issued At: ${timeOf(issuedAtMillis)}`,
    `Expiration Time: ${timeOf(issuedAtMillis + WalletMessage.maxAgeMillis)}`
  ].join("\n")

/** All messages have the same length, regardless of the address, builder code and time. */
const lengthOf = (terms: BuilderTerms, template: Template): number => anyText(terms, template).length

const anyText = (terms: BuilderTerms, template: Template): string => {
  const anybody = { address: `0x${"1".repeat(40)}`, builderCode: "0".repeat(36), issuedAtMillis: 0 }
  return textOf({ ...terms, template, ...anybody }, "0".repeat(64))
}

const timeOf = (millis: number): string => new Date(millis).toISOString()

/** Returns the second half of a nonce: a MAC of the first half and all other fields of the message. */
const proofOf = (
  key: Redacted.Redacted,
  { address, builderCode, issuedAtMillis, template, uri }: Content,
  random16: Uint8Array
): Buffer => {
  const { agreementUrl, version } = template
  const site = [domainOf({ uri }), uri, agreementUrl]
  const content = [version, ...site, address.toLowerCase(), builderCode, timeOf(issuedAtMillis)]
  const mac = createHmac("sha256", Redacted.value(key)).update(["builder-msg", ...content, ""].join("\0"))
  return mac.update(random16).digest().subarray(0, proofBytes)
}

const isProven = (key: Redacted.Redacted, content: Content, nonce: string): boolean => {
  if (!noncePattern.test(nonce)) return false
  const bytes = Buffer.from(nonce, "hex")
  return timingSafeEqual(proofOf(key, content, bytes.subarray(0, randomBytes)), bytes.subarray(randomBytes))
}

/** Returns true if the strict parser accepts the template and every field appears in it. */
const isReadable = (terms: BuilderTerms, template: Template): boolean => {
  const message = WalletMessage.read(anyText(terms, template))
  const parts = ["0".repeat(36), template.serviceName, template.agreementUrl]
  return Result.isSuccess(message) && parts.every((part) => message.success.statement.includes(part))
}
