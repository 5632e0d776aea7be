/** A user's message limit: a load that decays exponentially over one minute, with a separate bucket for cancels. */
import type { UserId } from "@venue/domain/UserId"
import type { Cost } from "../../../protocol/Desk.ts"

/** Largest burst after an idle time, in weight units. The sustained rate per second is 1/60 of this number. */
const capacity = 12_000
const windowMillis = 60_000

export interface MessageRate {
  readonly loads: { general: number; cancel: number }
  readonly atMillis: { general: number; cancel: number }
}

export const make = (): MessageRate => ({ loads: { general: 0, cancel: 0 }, atMillis: { general: 0, cancel: 0 } })

/** Charges the cost and returns 0, or charges nothing and returns the milliseconds to wait. */
export const spend = ({ atMillis, loads }: MessageRate, { bucket, weight }: Cost, nowMillis: number): number => {
  // `Math.min` prevents the load from growing if the clock is set back.
  const load = loads[bucket] * Math.exp(Math.min(0, atMillis[bucket] - nowMillis) / windowMillis)
  loads[bucket] = load
  atMillis[bucket] = nowMillis
  // A message heavier than the capacity never passes, but still waits at least 1 ms.
  if (load + weight > capacity)
    return Math.max(1, Math.ceil(windowMillis * Math.log(load / Math.max(capacity - weight, 1))))
  loads[bucket] = load + weight
  return 0
}

/** Variant of `spend` that takes a user id. */
export type SpendOf = (userId: UserId, cost: Cost, nowMillis: number) => number

/** Keeps the loads of the latest `maxUsers` to 2 × `maxUsers` users. Users without a stored load count as idle. */
export const ofUsers = (): SpendOf => {
  let recent = new Map<UserId, MessageRate>()
  let older = new Map<UserId, MessageRate>()
  return (userId, cost, nowMillis) => {
    let rate = recent.get(userId)
    if (rate === undefined) {
      rate = older.get(userId) ?? make()
      if (recent.size >= maxUsers) {
        older = recent
        recent = new Map()
      }
      recent.set(userId, rate)
    }
    return spend(rate, cost, nowMillis)
  }
}

const maxUsers = 20_000
