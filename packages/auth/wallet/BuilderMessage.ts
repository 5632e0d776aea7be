/**
 * The message by which a wallet lets a builder have a key. None is recorded when it is written: its nonce proves, on
 * any node and after a restart, that the venue wrote it, and for whom.
 */
import { Result, Redacted, Schema } from "effect"
import { Buffer } from "node:buffer"
import { createHmac, timingSafeEqual } from "node:crypto"
import { authorityOf } from "./SignInSite.ts"
import { checksummed } from "./WalletAddress.ts"
import * as WalletMessage from "./WalletMessage.ts"

/** The words that are signed. */
export interface Template {
  /** Another one whenever a word changes. */
  readonly version: string
  /** One line that holds `{builder_code}`, `{service_name}` and `{agreement_url}`. */
  readonly statement: string
  readonly serviceName: string
  readonly agreementUrl: string
}

export interface BuilderTerms {
  readonly serviceName: string
  readonly uri: string
  readonly agreementUrl: string
  /** Known to every node. */
  readonly macKey: Redacted.Redacted
  /** Another one, good until then for messages that were written under it: what came before, or what other nodes use already. */
  readonly otherMacKey?: { readonly key: Redacted.Redacted; readonly untilMillis: number } | undefined
  readonly otherTemplate?: (Template & { readonly untilMillis: number }) | undefined
}

export class InvalidTerms extends Schema.TaggedError<InvalidTerms>()("InvalidTerms", {
  fault: Schema.Literals(["uri", "agreement_url", "statement"])
}) {}

/** `malformed` is what anybody can tell from the text, `untrusted` what only the venue can. `fault` is for logs. */
export class BuilderMessageRefused extends Schema.TaggedError<BuilderMessageRefused>()("BuilderMessageRefused", {
  side: Schema.Literals(["malformed", "untrusted"]),
  fault: Schema.String
}) {}

/** Terms under which messages can be written and read again. */
export const termsOf = (settings: BuilderTerms): Result.Result<BuilderTerms, InvalidTerms> => {
  const invalid = (fault: InvalidTerms["fault"]) => Result.fail(new InvalidTerms({ fault }))
  const templates = templatesOf(settings)
  if (authorityOf(settings.uri, "https:") === undefined) return invalid("uri")
  if (templates.some(({ agreementUrl }) => authorityOf(agreementUrl, "https:") === undefined)) {
    return invalid("agreement_url")
  }
  return templates.every((template) => isReadable(settings, template)) ? Result.succeed(settings) : invalid("statement")
}

/** A new message, good for ten minutes. The address may be of any letter case; the builder's code is a lower-case UUID. */
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
    /** Sixteen bytes of chance. */
    readonly random16: Uint8Array
  }
): string => {
  const said = { ...terms, template: templateOf(terms), address, builderCode, issuedAtMillis: nowMillis }
  return textOf(said, Buffer.concat([random16, proofOf(terms.macKey, said, random16)]).toString("hex"))
}

/**
 * A message that the venue wrote for this builder's code, unchanged and still good. Who signed it is asked afterwards,
 * and only its one use makes it used.
 */
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
    /** It is that of the agreement which the signer accepts. */
    readonly agreementUrl: string
  },
  BuilderMessageRefused
> => {
  const templates = templatesOf(terms)
  // To read takes long, and longer with every character: of what is far longer than ours nothing need be read.
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
  const said = templates
    .filter(isInForce)
    .map((template) => ({ ...terms, template, address, builderCode, issuedAtMillis }))
    .find((said) => textOf(said, nonce) === text)
  if (said === undefined) return refused("untrusted", "changed")
  const keys = macKeysOf(terms).filter(isInForce)
  if (!keys.some(({ key }) => isProven(key, said, nonce))) return refused("untrusted", "nonce")
  const fault = WalletMessage.untimely(message, nowMillis, clockLeewaySeconds)
  if (fault !== undefined) return refused("untrusted", fault)
  return Result.succeed({
    message,
    addressLower: address.toLowerCase(),
    nonce,
    agreementUrl: said.template.agreementUrl
  })
}

/** All that a message says, but for its nonce. */
interface Said {
  readonly uri: string
  readonly template: Template
  readonly address: string
  readonly builderCode: string
  readonly issuedAtMillis: number
}

/** How far the clocks of our own nodes may be apart. */
const clockLeewaySeconds = 5
const randomBytes = 16
const proofBytes = 16
const noncePattern = /^[0-9a-f]{64}$/

const refused = (side: BuilderMessageRefused["side"], fault: string) =>
  Result.fail(new BuilderMessageRefused({ side, fault }))

/** Our words, with the agreement that they link to. */
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

/** The address is one that `termsOf` looked at. */
const domainOf = ({ uri }: Pick<BuilderTerms, "uri">): string => new URL(uri).host

const textOf = ({ address, builderCode, issuedAtMillis, template, uri }: Said, nonce: string): string =>
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

/** All messages are as long, whoever they are for and whenever. */
const lengthOf = (terms: BuilderTerms, template: Template): number => anyText(terms, template).length

const anyText = (terms: BuilderTerms, template: Template): string => {
  const anybody = { address: `0x${"1".repeat(40)}`, builderCode: "0".repeat(36), issuedAtMillis: 0 }
  return textOf({ ...terms, template, ...anybody }, "0".repeat(64))
}

const timeOf = (millis: number): string => new Date(millis).toISOString()

/** The second half of a nonce: its first half and all that is said, under a key of the venue. */
const proofOf = (
  key: Redacted.Redacted,
  { address, builderCode, issuedAtMillis, template, uri }: Said,
  random16: Uint8Array
): Buffer => {
  const { agreementUrl, version } = template
  const site = [domainOf({ uri }), uri, agreementUrl]
  const said = [version, ...site, address.toLowerCase(), builderCode, timeOf(issuedAtMillis)]
  const mac = createHmac("sha256", Redacted.value(key)).update(["builder-msg", ...said, ""].join("\0"))
  return mac.update(random16).digest().subarray(0, proofBytes)
}

const isProven = (key: Redacted.Redacted, said: Said, nonce: string): boolean => {
  if (!noncePattern.test(nonce)) return false
  const bytes = Buffer.from(nonce, "hex")
  return timingSafeEqual(proofOf(key, said, bytes.subarray(0, randomBytes)), bytes.subarray(randomBytes))
}

/** The strict reader takes what we write, and each part that must be said has its place in it. */
const isReadable = (terms: BuilderTerms, template: Template): boolean => {
  const message = WalletMessage.read(anyText(terms, template))
  const parts = ["0".repeat(36), template.serviceName, template.agreementUrl]
  return Result.isSuccess(message) && parts.every((part) => message.success.statement.includes(part))
}
