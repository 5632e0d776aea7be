/** Reasons to hold a withdrawal that depend on user and destination; the trader adds reasons that depend on amounts. */
import { hourMillis } from "@venue/domain/Funding"
import type { Network } from "@venue/domain/Rail"
import type { UserId } from "@venue/domain/UserId"
import type { HoldReason } from "@venue/domain/Withdrawal"
import { Identities } from "@venue/storage/access/Identities"
import { WithdrawalAddresses } from "@venue/storage/access/WithdrawalAddresses"
import type { BankAccount } from "@venue/storage/treasury/BankAccounts"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect } from "effect"

export const make = Effect.fnUntraced(function* (newAddressHoldHours: () => number) {
  const addresses = yield* WithdrawalAddresses
  const flags = yield* TreasuryFlags
  const identities = yield* Identities
  const withdrawals = yield* Withdrawals

  const flagged = Effect.fnUntraced(function* (userId: UserId, destination: string) {
    const isFlagged = (kind: "user" | "address", subject: string) =>
      Effect.map(flags.about(kind, subject), (set) => set.some(({ effect }) => effect === "flagged"))
    const reasons: Array<HoldReason> = []
    if (yield* isFlagged("user", userId)) reasons.push("flagged-user")
    if (yield* isFlagged("address", destination)) reasons.push("flagged-destination")
    return reasons
  })

  /** Returns the time since which an address is known, from its registration or from the first withdrawal to it. */
  const knownSince = Effect.fnUntraced(function* (userId: UserId, address: string, registeredAtMillis: number) {
    const { firstAtMillis } = yield* withdrawals.sentTo(userId, address)
    return Math.min(registeredAtMillis, firstAtMillis ?? Infinity)
  })

  return {
    ofAddress: Effect.fnUntraced(function* (userId: UserId, network: Network, address: string) {
      const lower = address.toLowerCase()
      const own = yield* addresses.ofUser(userId)
      const registered = own.find((row) => row.network === network && row.address.toLowerCase() === lower)
      const reasons = yield* flagged(userId, address)
      // The address's wallet has signed a message, either to sign in or to register a builder's key.
      const isVerified =
        registered?.verified === true ||
        (network === "ARBITRUM_ONE" &&
          (yield* identities.ofUser(userId)).some((identity) => identity.address === lower))
      const holdHours = newAddressHoldHours()
      if (holdHours > 0 && !isVerified) {
        const since = yield* knownSince(userId, address, registered?.createdAtMillis ?? Infinity)
        const isNew = (yield* Clock.currentTimeMillis) - since < holdHours * hourMillis
        if (isNew || since === Infinity) reasons.unshift("new-destination")
      }
      return { isRegistered: registered !== undefined, reasons }
    }),
    ofBankAccount: Effect.fnUntraced(function* ({ accountId, holderKnown, userId }: BankAccount) {
      const reasons = yield* flagged(userId, accountId)
      return holderKnown ? reasons : (["unverified-holder", ...reasons] satisfies ReadonlyArray<HoldReason>)
    })
  }
})
