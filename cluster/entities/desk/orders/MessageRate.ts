/** The message limit of a user: an exponentially decaying load over a minute, one bucket each for cancels and the rest. */
import type { UserId } from "@venue/domain/UserId"
import type { Cost } from "../../../protocol/Desk.ts"

/** Weight units a burst from idle may hold; sustained it is a 60th of that a second. */
const capacity = 12_000
const windowMillis = 60_000

export interface MessageRate {
  readonly loads: { general: number; cancel: number }
  readonly atMillis: { general: number; cancel: number }
}

export const make = (): MessageRate => ({ loads: { general: 0, cancel: 0 }, atMillis: { general: 0, cancel: 0 } })

/** Takes the cost and answers 0, or takes nothing and answers how many milliseconds to wait. */
export const spend = ({ atMillis, loads }: MessageRate, { bucket, weight }: Cost, nowMillis: number): number => {
  // A clock that was set back must not make the load grow.
  const load = loads[bucket] * Math.exp(Math.min(0, atMillis[bucket] - nowMillis) / windowMillis)
  loads[bucket] = load
  atMillis[bucket] = nowMillis
  // What weighs more than all there is waits in vain, and is told to wait all the same.
  if (load + weight > capacity)
    return Math.max(1, Math.ceil(windowMillis * Math.log(load / Math.max(capacity - weight, 1))))
  loads[bucket] = load + weight
  return 0
}

/** As `spend`, of whoever asks. */
export type SpendOf = (userId: UserId, cost: Cost, nowMillis: number) => number

/** Remembers a user until at least `maxUsers` others were charged, and twice as many in all; who is forgotten counts as idle. */
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
