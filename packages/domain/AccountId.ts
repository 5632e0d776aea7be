/** Which account: a user has a primary one from the start, and may open others. */
import { Schema } from "effect"
import type { UserId } from "./UserId.ts"

export const AccountId = Schema.String.pipe(Schema.brand("AccountId"))
export type AccountId = typeof AccountId.Type

/** The primary account has the id of its user. */
export const primaryAccountOf = (userId: UserId): AccountId => AccountId.make(userId)

export const isPrimary = (accountId: AccountId, userId: UserId): boolean => accountId === primaryAccountOf(userId)
