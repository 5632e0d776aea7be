/** Open TWAPs of one market and their progress. */
import type { AccountId } from "@venue/domain/AccountId"
import type { Twap, TwapAdvanced, TwapClosed, TwapId, TwapOpened } from "@venue/domain/Twap"

export interface Twaps {
  /** TWAPs by id. Each TWAP is immutable, and changes replace it. */
  readonly byId: Map<TwapId, Twap>
  /** TWAPs of each account, oldest first. */
  readonly byAccount: Map<AccountId, Set<TwapId>>
}

export const make = (): Twaps => ({ byId: new Map(), byAccount: new Map() })

export const ofAccount = ({ byAccount, byId }: Twaps, accountId: AccountId): Array<Twap> =>
  [...(byAccount.get(accountId) ?? [])].map((twapId) => byId.get(twapId)!)

export const apply = (twaps: Twaps, event: TwapOpened | TwapAdvanced | TwapClosed): void => {
  if (event._tag === "TwapOpened") keep(twaps, event.twap)
  else if (event._tag === "TwapAdvanced") twaps.byId.set(event.twap.twapId, event.twap)
  else forget(twaps, event.twap)
}

/** Adds a TWAP as the newest of its account. */
export const keep = ({ byAccount, byId }: Twaps, twap: Twap): void => {
  byId.set(twap.twapId, twap)
  const own = byAccount.get(twap.accountId)
  if (own === undefined) byAccount.set(twap.accountId, new Set([twap.twapId]))
  else own.add(twap.twapId)
}

function forget({ byAccount, byId }: Twaps, { accountId, twapId }: Twap): void {
  byId.delete(twapId)
  const own = byAccount.get(accountId)
  own?.delete(twapId)
  if (own?.size === 0) byAccount.delete(accountId)
}
