/** API keys: the data that their owner can read, and the errors of creating or changing a key. */
import { Schema } from "effect"

/** Scope of a key that is valid for all accounts of its user. Any other scope is the id of one account. */
export const allAccounts = "all_accounts"

/** Maximum number of active keys of a user. Keys issued to builders do not count. */
export const maxApiKeys = 50

/** Returns true for a label that is reserved for keys issued to third parties. The user's key list omits these keys. */
export const isReservedLabel = (label: string): boolean => /^(?:builder-|managed)/i.test(label)

/** A key's data without its secret. Times are in Unix milliseconds; null if the event has not happened. */
export const ApiKeySummary = Schema.Struct({
  publicKey: Schema.String,
  label: Schema.String,
  permissions: Schema.Array(Schema.String),
  scope: Schema.String,
  /**
   * IP addresses and networks, such as `10.0.0.0/8`, that are allowed to use the key. An empty list allows every IP
   * address.
   */
  allowedAddresses: Schema.Array(Schema.String),
  createdAtMillis: Schema.Number,
  lastUsedAtMillis: Schema.NullOr(Schema.Number),
  /** Time of the last rejected request that was sent with this key. */
  lastFailedAtMillis: Schema.NullOr(Schema.Number)
})
export type ApiKeySummary = typeof ApiKeySummary.Type

/** The user already has `limit` active keys. */
export class TooManyApiKeys extends Schema.TaggedError<TooManyApiKeys>()("TooManyApiKeys", { limit: Schema.Number }) {}

/** The key does not exist, belongs to another user, or cannot be changed by its user. */
export class UnknownApiKey extends Schema.TaggedError<UnknownApiKey>()("UnknownApiKey", {
  publicKey: Schema.String
}) {}
