/** Decodes commands about the connection: sign-in, subscriptions, cancel on disconnect, dead-man switch. */
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

/** Unverified credential of a connection, with its account and builder code. */
export interface Auth {
  readonly _tag: "Auth"
  readonly credential: HmacCredential | TokenCredential
  /** `null` for the primary account. */
  readonly accountId: string | null
  /** `null` if absent, so that the upgrade request's code applies; "" if empty or not a UUID. */
  readonly builderCode: string | null
}

/** Credential of an API key. */
export interface HmacCredential {
  readonly _tag: "Hmac"
  readonly publicKey: string
  readonly nonce: string
  readonly unixSeconds: number
  readonly signature: Redacted.Redacted<string>
}

/** Access token of a session. */
export interface TokenCredential {
  readonly _tag: "Token"
  readonly jwt: Redacted.Redacted<string>
}

/**
 * Channels of a message. Valid names take effect even if other names are unknown, because some clients send a fixed
 * list.
 */
interface ChannelList {
  /** Requested channels without duplicates, in the order of the request. */
  readonly channels: ReadonlyArray<Channel>
  readonly declined: ReadonlyArray<Declined>
  /** Subscription to the market-data channels, in the market-data socket's format. */
  readonly marketData?: Fields
}

/** Subscription to channels. */
export interface Subscribe extends ChannelList {
  readonly _tag: "Subscribe"
}

/** Unsubscription from channels. */
export interface Unsubscribe extends ChannelList {
  readonly _tag: "Unsubscribe"
}

/** Choice of whether the account's orders are cancelled when the connection closes. */
export interface CancelOnDisconnect {
  readonly _tag: "CancelOnDisconnect"
  readonly armed: boolean
}

/** Setting or renewal of the account's dead-man switch. */
export interface CancelAllAfter {
  readonly _tag: "CancelAllAfter"
  /** 5 to 600 s; 0 switches it off. */
  readonly timeoutSeconds: number
}

/** Decodes `auth`. Refusals show no values, because a secret might be in the wrong member. */
export const auth = (fields: Fields): Auth | Malformed => {
  const credential = readCredential(fields)
  if (credential._tag === "Malformed") return credential
  // Some clients send "" for the primary account.
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

/** Returns a builder code in lower case, or "" for text that is not a UUID. */
export const builderCodeOf = (text: string): string => (isUuid(text) ? text.toLowerCase() : "")

/** Decodes `subscribe`. */
export const subscribe = (fields: Fields): Subscribe | Malformed => {
  const read = readChannels("subscribe", fields)
  return "_tag" in read ? read : { _tag: "Subscribe", ...read }
}

/** Decodes `unsubscribe`. */
export const unsubscribe = (fields: Fields): Unsubscribe | Malformed => {
  const read = readChannels("unsubscribe", fields)
  return "_tag" in read ? read : { _tag: "Unsubscribe", ...read }
}

/** Decodes `cancel_on_disconnect`. */
export const cancelOnDisconnect = (fields: Fields): CancelOnDisconnect | Malformed => {
  const armed = fields["cancel_on_disconnect"]
  return typeof armed === "boolean"
    ? { _tag: "CancelOnDisconnect", armed }
    : wrong("cancel_on_disconnect", armed, "true or false")
}

/** Decodes `cancel_all_after`. */
export const cancelAllAfter = (fields: Fields): CancelAllAfter | Malformed => {
  const timeoutSeconds = Field.number(fields, "timeout_secs")
  if (typeof timeoutSeconds !== "number") return timeoutSeconds
  return isTimeout(timeoutSeconds)
    ? { _tag: "CancelAllAfter", timeoutSeconds }
    : outOfRange("timeout_secs", timeoutSeconds, "0, or a whole number of seconds from 5 to 600")
}

/** Whether a value is the name of a market-data channel of the trade socket. */
export const isMarketDataChannel = (value: unknown): boolean =>
  Field.oneOf(MarketDataChannel.literals, value) !== undefined

const readChannels = (type: "subscribe" | "unsubscribe", fields: Fields): ChannelList | Malformed => {
  const names = fields["channels"]
  if (!Array.isArray(names)) return wrong("channels", names, "an array of channel names")
  if (names.length === 0) return outOfRange("channels", names, "at least one channel name")
  const read = new Set<Channel>()
  const unknown = new Set<unknown>()
  for (const name of names) {
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
        `one or more of ${[...Channel.literals, ...MarketDataChannel.literals].join(", ")}`
      ),
      InvalidParameter: []
    }),
    ...(names.some(isMarketDataChannel)
      ? { marketData: { type, channels: names.filter(isMarketDataChannel), symbols: fields["symbols"] } }
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
        ? "expected either hmac or jwt in params, got both"
        : `missing field hmac: expected hmac { public_key, nonce, unix_ts, signature } or jwt in params${
            fields["api_key"] === undefined ? "" : "; api_key is no longer supported"
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
  if (!isWhole(unixSeconds)) return unlike("hmac.unix_ts", time, "a whole number of Unix seconds")
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
