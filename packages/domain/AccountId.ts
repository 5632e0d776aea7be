/** Account ids. A user has a primary account from registration and can open subaccounts. */
import { Schema } from "effect"
import type { UserId } from "./UserId.ts"

/** Id of one account. The primary account has the same id as its user. */
export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** Returns the id of a user's primary account: the user's own id. */
export const primaryAccountOf = (userId: UserId): AccountId => AccountId.make(userId)

/** Returns true if the account is the primary account of the user. */
export const isPrimary = (accountId: AccountId, userId: UserId): boolean => accountId === primaryAccountOf(userId)
