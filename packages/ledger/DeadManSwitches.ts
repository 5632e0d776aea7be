/**
 * The dead-man switches of a trader's accounts (rule 4.21). One that is due fires, which is recorded before anything is
 * cancelled; its cancels go on, whatever is asked meanwhile, until all of them are recorded.
 *
 *     off → on ── asked again ──→ on → due → fired → off, or on where it was asked for meanwhile
 */
import type { AccountId } from "@venue/domain/AccountId"
import * as DeadManSwitch from "@venue/domain/DeadManSwitch"
import { type DeadManSwitchSet, type EndFiring, type SetDeadManSwitch, UnknownAccount } from "@venue/domain/Trader"
import { Result } from "effect"
import type { Trader } from "./Trader.ts"

type Switch = DeadManSwitch.DeadManSwitch

/**
 * What changes nothing is not recorded: one that is renewed by the same time is recorded once a second, however often that is.
 * Memory alone keeps when it came, so that what was asked before it does not count; an owner that follows does not know.
 */
export const set = (
  trader: Trader,
  { accountId, askedMillis, timeoutSeconds }: SetDeadManSwitch,
  nowMillis: number
): Result.Result<ReadonlyArray<DeadManSwitchSet>, UnknownAccount> => {
  if (!trader.accounts.has(accountId)) return Result.fail(new UnknownAccount({ accountId }))
  const before = trader.switches.get(accountId) ?? DeadManSwitch.off
  const newestMillis = Math.max(before.askedMillis, trader.renewedMillis.get(accountId) ?? 0)
  if (askedMillis < newestMillis) return Result.succeed([])
  const dueMillis = DeadManSwitch.dueMillis(askedMillis, timeoutSeconds)
  // Whoever asks too late has what was due done all the same.
  const firedMillis = isDue(before, nowMillis) ? nowMillis : before.firedMillis
  const isAsItWas = dueMillis === before.dueMillis && firedMillis === before.firedMillis
  if (!isAsItWas) return Result.succeed([event(accountId, { askedMillis, dueMillis, firedMillis })])
  trader.renewedMillis.set(accountId, askedMillis)
  return Result.succeed([])
}

export const fire = ({ switches }: Trader, nowMillis: number): ReadonlyArray<DeadManSwitchSet> =>
  [...switches]
    .filter(([, before]) => isDue(before, nowMillis))
    .map(([accountId, before]) => event(accountId, { ...before, dueMillis: 0, firedMillis: nowMillis }))

export const endFiring = (
  { switches }: Trader,
  { accountId, firedMillis }: EndFiring
): ReadonlyArray<DeadManSwitchSet> => {
  const before = switches.get(accountId)
  return before?.firedMillis === firedMillis && firedMillis !== 0
    ? [event(accountId, { ...before, firedMillis: 0 })]
    : []
}

/** Says whether there is something to do for one of them, now or later. */
export const isAnyOn = ({ switches }: Trader): boolean => [...switches.values()].some(DeadManSwitch.isOn)

/** Gives the moment at which the next one is due; Infinity where none is on. */
export const nextMillis = ({ switches }: Trader): number =>
  Math.min(...[...switches.values()].map(({ dueMillis }) => (dueMillis === 0 ? Infinity : dueMillis)))

/** Lists the accounts whose switch has fired and whose cancels are not all recorded, with the moment at which it did. */
export const fired = ({
  switches
}: Trader): ReadonlyArray<{ readonly accountId: AccountId; readonly firedMillis: number }> =>
  [...switches].flatMap(([accountId, { firedMillis }]) => (firedMillis === 0 ? [] : [{ accountId, firedMillis }]))

const isDue = ({ dueMillis }: Switch, nowMillis: number): boolean => dueMillis !== 0 && dueMillis <= nowMillis

const event = (accountId: AccountId, after: Switch): DeadManSwitchSet => ({
  _tag: "DeadManSwitchSet",
  accountId,
  ...after
})
