/** What every command of a trader has with it on the way to a market. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import * as Id from "./Id.ts"
import { UserId } from "./UserId.ts"

export const commandEnvelope = {
  commandId: Id.schema,
  expiresAtMillis: Schema.Number,
  /** The trader's journal epoch: a market that has seen a higher one of this user drops it. */
  traderEpoch: Schema.Number,
  userId: UserId,
  accountId: AccountId
}
