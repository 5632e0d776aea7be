/** Conditions that block a queued withdrawal. The statement that submits the withdrawal checks them. */
import type { UserStates } from "../access/UserStates.ts"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Effect } from "effect"
import type { DepositsShape } from "./DepositTable.ts"
import type { TreasuryFlags } from "./TreasuryFlags.ts"
import type { UserId } from "@venue/domain/UserId"

/** Returns the SQL condition that the venue allows withdrawals. Without an auditor, a missing audit blocks nothing. */
export const areOpen = (hasAuditor: boolean): string =>
  hasAuditor ? "withdrawals_are_open()" : "(select m.withdrawals = 'OPEN' from venue_mode m)"

/**
 * SQL condition on a row of `withdrawal`: the user or the destination is frozen, or a deposit credited to the user
 * has disappeared from its chain.
 */
export const isBlocked = `(
  exists (select 1 from user_state u where u.user_id = withdrawal.user_id and u.frozen)
  or exists (
    select 1 from treasury_flag f where f.effect = 'frozen'
      and ((f.kind = 'user' and f.subject = withdrawal.user_id) or (f.kind = 'address' and f.subject = withdrawal.destination))
  )
  or exists (
    select 1 from deposit d where d.user_id = withdrawal.user_id and d.state = 'CREDITED' and d.gone_since is not null
  )
)`

/** In-memory equivalent of the SQL condition `isBlocked`. */
export const isBlockedIn =
  (states: UserStates["Service"], flags: TreasuryFlags["Service"], deposits: Pick<DepositsShape, "isMissing">) =>
  ({ destination, userId }: Addressed): Effect.Effect<boolean, DatabaseUnavailable> =>
    Effect.gen(function* () {
      const about = [...(yield* flags.about("user", userId)), ...(yield* flags.about("address", destination))]
      if (about.some(({ effect }) => effect === "frozen")) return true
      return (yield* states.find(userId)).frozen || (yield* deposits.isMissing(userId))
    })

interface Addressed {
  readonly userId: UserId
  readonly destination: string
}
