/** Fields that every command from a desk to a market carries. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import * as Id from "./Id.ts"
import { UserId } from "./UserId.ts"

export const commandEnvelope = {
  commandId: Id.schema,
  /** Market time, in Unix milliseconds, after which the market rejects the command. */
  expiresAtMillis: Schema.Number,
  /** Journal epoch of the trader. A market that has seen a higher epoch for this user drops the command. */
  traderEpoch: Schema.Number,
  userId: UserId,
  accountId: AccountId
}
