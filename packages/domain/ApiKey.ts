/** A key that a program calls with: what its owner may know of it, and why one is not made or changed. */
import { Schema } from "effect"

/** The scope of a key that is for every account of its user; any other scope is the id of one account. */
export const allAccounts = "all_accounts"

/** Good keys of one user, without those that were issued to builders. */
export const maxApiKeys = 50

/** Keys with such a label were made for somebody else than their user, and are left out of the user's listing. */
export const isReservedLabel = (label: string): boolean => /^(?:builder-|managed)/i.test(label)

/** Everything about a key but its secret. Times are Unix milliseconds, null for what never happened. */
export const ApiKeySummary = Schema.Struct({
  publicKey: Schema.String,
  label: Schema.String,
  permissions: Schema.Array(Schema.String),
  scope: Schema.String,
  /** Addresses and networks such as `10.0.0.0/8` it may be used from; anywhere when there are none. */
  allowedAddresses: Schema.Array(Schema.String),
  createdAtMillis: Schema.Number,
  lastUsedAtMillis: Schema.NullOr(Schema.Number),
  /** When somebody who named this key was last refused. */
  lastFailedAtMillis: Schema.NullOr(Schema.Number)
})
export type ApiKeySummary = typeof ApiKeySummary.Type

export class TooManyApiKeys extends Schema.TaggedError<TooManyApiKeys>()("TooManyApiKeys", { limit: Schema.Number }) {}

/** Or one of somebody else, or one that is not the user's to change. */
export class UnknownApiKey extends Schema.TaggedError<UnknownApiKey>()("UnknownApiKey", {
  publicKey: Schema.String
}) {}
