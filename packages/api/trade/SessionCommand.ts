/** Commands about the connection itself: who it is for, what it hears, what happens when it ends or falls silent. */
import { isTimeout } from "@venue/domain/DeadManSwitch"
import { isUuid } from "@venue/domain/Id"
import { Redacted } from "effect"
import { type Fields, isFields } from "../Incoming.ts"
import {
  type Declined,
  declined,
  kind,
  type Malformed,
  malformed,
  outOfRange,
  wrong,
  wrongEntries
} from "../Malformed.ts"
import { Channel, MarketDataChannel } from "./CommandSchema.ts"
import * as Field from "./Field.ts"

export type { Channel } from "./CommandSchema.ts"

/** Whether any of it is true is for the gateway to say. */
export interface Auth {
  readonly _tag: "Auth"
  readonly credential: HmacCredential | TokenCredential
  /** `null` for the primary account. */
  readonly accountId: string | null
  /** `null` without the member, so that the upgrade header counts; empty when the member is empty or cannot be a code. */
  readonly builderCode: string | null
}

export interface HmacCredential {
  readonly _tag: "Hmac"
  readonly publicKey: string
  readonly nonce: string
  readonly unixSeconds: number
  readonly signature: Redacted.Redacted<string>
}

export interface TokenCredential {
  readonly _tag: "Token"
  readonly jwt: Redacted.Redacted<string>
}

/** What of a message is right takes effect: clients with a fixed list ignore the error and would sit in silence. */
interface ChannelList {
  /** Each channel once, in the order asked for. */
  readonly channels: ReadonlyArray<Channel>
  readonly declined: ReadonlyArray<Declined>
  /** The part about market data, as its own socket would be asked for it. */
  readonly marketData?: Fields
}

export interface Subscribe extends ChannelList {
  readonly _tag: "Subscribe"
}

export interface Unsubscribe extends ChannelList {
  readonly _tag: "Unsubscribe"
}

export interface CancelOnDisconnect {
  readonly _tag: "CancelOnDisconnect"
  readonly armed: boolean
}

export interface CancelAllAfter {
  readonly _tag: "CancelAllAfter"
  /** 0 switches it off. */
  readonly timeoutSeconds: number
}

/** Messages never show a value: it may be a secret in the wrong place. */
export const auth = (fields: Fields): Auth | Malformed => {
  const credential = readCredential(fields)
  if (credential._tag === "Malformed") return credential
  // Some clients write an empty one for the primary account.
  const accountId = fields["account_id"] === "" ? null : (fields["account_id"] ?? null)
  if (accountId !== null && typeof accountId !== "string") return unlike("account_id", accountId, "a UUID string")
  if (accountId !== null && !isUuid(accountId)) {
    return malformed("InvalidParameter", "invalid account_id: expected a UUID of 36 characters")
  }
  const code = fields["builder_code"] ?? null
  if (code !== null && typeof code !== "string") return unlike("builder_code", code, "a UUID string")
  return {
    _tag: "Auth",
    credential,
    accountId: accountId === null ? null : accountId.toLowerCase(),
    builderCode: code === null ? null : builderCodeOf(code)
  }
}

/** As codes are kept, or empty when the text cannot be one. */
export const builderCodeOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : "")

export const subscribe = (fields: Fields): Subscribe | Malformed => {
  const read = readChannels("subscribe", fields)
  return "_tag" in read ? read : { _tag: "Subscribe", ...read }
}

export const unsubscribe = (fields: Fields): Unsubscribe | Malformed => {
  const read = readChannels("unsubscribe", fields)
  return "_tag" in read ? read : { _tag: "Unsubscribe", ...read }
}

export const cancelOnDisconnect = (fields: Fields): CancelOnDisconnect | Malformed => {
  const armed = fields["cancel_on_disconnect"]
  return typeof armed === "boolean"
    ? { _tag: "CancelOnDisconnect", armed }
    : wrong("cancel_on_disconnect", armed, "true or false")
}

export const cancelAllAfter = (fields: Fields): CancelAllAfter | Malformed => {
  const timeoutSeconds = Field.number(fields, "timeout_secs")
  if (typeof timeoutSeconds !== "number") return timeoutSeconds
  return isTimeout(timeoutSeconds)
    ? { _tag: "CancelAllAfter", timeoutSeconds }
    : outOfRange("timeout_secs", timeoutSeconds, "0, or a whole number from 5 to 600")
}

/** Market data that this socket carries too. */
export const isMarketDataChannel = (value: unknown): boolean =>
  Field.oneOf(MarketDataChannel.literals, value) !== undefined

const readChannels = (type: "subscribe" | "unsubscribe", fields: Fields): ChannelList | Malformed => {
  const asked = fields["channels"]
  if (!Array.isArray(asked)) return wrong("channels", asked, "an array of channel names")
  if (asked.length === 0) return outOfRange("channels", asked, "at least one channel name")
  const read = new Set<Channel>()
  const unknown = new Set<unknown>()
  for (const name of asked) {
    const channel = Field.oneOf(Channel.literals, name)
    if (channel !== undefined) read.add(channel)
    else if (!isMarketDataChannel(name)) unknown.add(name)
  }
  return {
    channels: [...read],
    declined: declined({
      InvalidJSONFormat: wrongEntries(
        "channels",
        [...unknown],
        `names among ${[...Channel.literals, ...MarketDataChannel.literals].join(", ")}`
      ),
      InvalidParameter: []
    }),
    ...(asked.some(isMarketDataChannel)
      ? { marketData: { type, channels: asked.filter(isMarketDataChannel), symbols: fields["symbols"] } }
      : {})
  }
}

type Credential = Auth["credential"]

const readCredential = (fields: Fields): Credential | Malformed => {
  const hmac = fields["hmac"] ?? undefined
  const jwt = fields["jwt"] ?? undefined
  if ((hmac === undefined) === (jwt === undefined)) {
    return malformed(
      "InvalidJSONFormat",
      hmac !== undefined
        ? "expected one of hmac and jwt in params, got both"
        : `missing field hmac: expected hmac { public_key, nonce, unix_ts, signature } or jwt in params${
            fields["api_key"] === undefined ? "" : ", the form with api_key is gone"
          }`
    )
  }
  if (jwt !== undefined) {
    return typeof jwt === "string" ? { _tag: "Token", jwt: Redacted.make(jwt) } : unlike("jwt", jwt, "a string")
  }
  return isFields(hmac) ? readHmac(hmac) : unlike("hmac", hmac, "an object")
}

const readHmac = (hmac: Fields): HmacCredential | Malformed => {
  const { nonce, public_key: publicKey, signature, unix_ts: time } = hmac
  if (typeof publicKey !== "string") return unlike("hmac.public_key", publicKey, "a string")
  if (typeof nonce !== "string") return unlike("hmac.nonce", nonce, "a string")
  const unixSeconds = Field.numeric(time)
  if (!isWhole(unixSeconds)) return unlike("hmac.unix_ts", time, "whole seconds as a JSON number")
  if (typeof signature !== "string") return unlike("hmac.signature", signature, "a string")
  return { _tag: "Hmac", publicKey, nonce, unixSeconds, signature: Redacted.make(signature) }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

const unlike = (field: string, value: unknown, expected: string): Malformed =>
  malformed(
    "InvalidJSONFormat",
    value === undefined
      ? `missing field ${field}: expected ${expected}`
      : `wrong field ${field}: expected ${expected}, got ${kind(value)}`
  )
