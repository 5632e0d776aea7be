/**
 * The dead-man switches of a trader's accounts (rule 4.21). The firing of a due switch is recorded before any cancel.
 * Its cancels continue until all of them are recorded, whatever else is requested.
 *
 *     off → on ── renewed ──→ on → due → fired → off, or on if it was renewed meanwhile
 */
import type { AccountId } from "@venue/domain/AccountId"
import * as DeadManSwitch from "@venue/domain/DeadManSwitch"
import { type DeadManSwitchSet, type EndFiring, type SetDeadManSwitch, UnknownAccount } from "@venue/domain/Trader"
import { Result } from "effect"
import type { Trader } from "./Trader.ts"

type Switch = DeadManSwitch.DeadManSwitch

/**
 * Decides a request to set a switch. A renewal that rounds to the same second changes nothing and is not recorded.
 * The time of this renewal is only kept in memory, to ignore older requests; the desk's next owner does not have it.
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
  // A late renewal does not save the orders, because the switch was already due.
  const firedMillis = isDue(before, nowMillis) ? nowMillis : before.firedMillis
  const isUnchanged = dueMillis === before.dueMillis && firedMillis === before.firedMillis
  if (!isUnchanged) return Result.succeed([event(accountId, { askedMillis, dueMillis, firedMillis })])
  trader.renewedMillis.set(accountId, askedMillis)
  return Result.succeed([])
}

/** Returns a firing event for each switch that is due. */
export const fire = ({ switches }: Trader, nowMillis: number): ReadonlyArray<DeadManSwitchSet> =>
  [...switches]
    .filter(([, before]) => isDue(before, nowMillis))
    .map(([accountId, before]) => event(accountId, { ...before, dueMillis: 0, firedMillis: nowMillis }))

/** Returns the event that ends a firing, or no event if the firing has already ended. */
export const endFiring = (
  { switches }: Trader,
  { accountId, firedMillis }: EndFiring
): ReadonlyArray<DeadManSwitchSet> => {
  const before = switches.get(accountId)
  return before?.firedMillis === firedMillis && firedMillis !== 0
    ? [event(accountId, { ...before, firedMillis: 0 })]
    : []
}

/** Returns true if a switch is set, or has fired and still has cancels to record. */
export const isAnyOn = ({ switches }: Trader): boolean => [...switches.values()].some(DeadManSwitch.isOn)

/** Returns the time at which the next switch is due; Infinity if none is set. */
export const nextMillis = ({ switches }: Trader): number =>
  Math.min(...[...switches.values()].map(({ dueMillis }) => (dueMillis === 0 ? Infinity : dueMillis)))

/** Returns the accounts whose switch has fired and still has cancels to record, with the firing time. */
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
