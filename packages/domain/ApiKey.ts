/** A key that a program calls with: what its owner may know of it, and why one is not made or changed. */
import { Schema } from "effect"

/** The scope of a key that is for every account of its user; any other scope is the id of one account. */
export const allAccounts = "all_accounts"

/** A user may have so many good keys; those that were issued to builders do not count. */
export const maxApiKeys = 50

/** Keys with such a label were made for somebody else than their user, and are left out of the user's listing. */
export const isReservedLabel = (label: string): boolean => /^(?:builder-|managed)/i.test(label)

/** Holds everything about a key but its secret. Times are Unix milliseconds, and null for what never happened. */
export const ApiKeySummary = Schema.Struct({
  publicKey: Schema.String,
  label: Schema.String,
  permissions: Schema.Array(Schema.String),
  scope: Schema.String,
  /**
   * The key may be used from these addresses and networks, such as `10.0.0.0/8`, or from anywhere when there are none.
   */
  allowedAddresses: Schema.Array(Schema.String),
  createdAtMillis: Schema.Number,
  lastUsedAtMillis: Schema.NullOr(Schema.Number),
  /** Somebody who named this key was last refused then. */
  lastFailedAtMillis: Schema.NullOr(Schema.Number)
})
export type ApiKeySummary = typeof ApiKeySummary.Type

export class TooManyApiKeys extends Schema.TaggedError<TooManyApiKeys>()("TooManyApiKeys", { limit: Schema.Number }) {}

/** The key may also be somebody else's, or one that the user may not change. */
export class UnknownApiKey extends Schema.TaggedError<UnknownApiKey>()("UnknownApiKey", {
  publicKey: Schema.String
}) {}
