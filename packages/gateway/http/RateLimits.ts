/** How much each caller may ask: a bucket for each name, which fills again evenly. */

export interface RateLimits {
  /** 0 when the weight was taken, else how many milliseconds to wait for it. */
  readonly spend: (caller: string, weight: number) => number
  /** As `spend`, and takes nothing. */
  readonly peek: (caller: string, weight: number) => number
}

export interface RateLimitsOptions {
  readonly enabled: boolean
  readonly nowMillis: () => number
  /** What a full bucket holds. */
  readonly capacity?: number
  /** How long an empty one takes to be full. */
  readonly refillMillis?: number
}

/** What a request weighs: 1, unless it stands here. */
export const weightOf = (action: string): number => weights.get(action) ?? 1

/** As REST has it, unless told otherwise. */
export const make = (options: RateLimitsOptions): RateLimits => {
  const { capacity = 1_200, enabled, nowMillis, refillMillis = 60_000 } = options
  const perMilli = capacity / refillMillis
  const buckets = new Map<string, { readonly tokens: number; readonly atMillis: number }>()
  const filledAt = (caller: string, now: number): number => {
    const { atMillis, tokens } = buckets.get(caller) ?? { tokens: capacity, atMillis: now }
    return Math.min(capacity, tokens + Math.max(0, now - atMillis) * perMilli)
  }
  const waitFor = (weight: number, filled: number): number =>
    filled >= weight ? 0 : Math.ceil((weight - filled) / perMilli)
  return {
    peek: (caller, weight) => (enabled ? waitFor(weight, filledAt(caller, nowMillis())) : 0),
    spend: (caller, weight) => {
      if (!enabled) return 0
      const now = nowMillis()
      const filled = filledAt(caller, now)
      // The map keeps the order of use, so what leaves it first was used longest ago.
      buckets.delete(caller)
      buckets.set(caller, { tokens: filled >= weight ? filled - weight : filled, atMillis: now })
      if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value!)
      return waitFor(weight, filled)
    }
  }
}

/** Callers remembered; who asked least lately is forgotten first. */
const maxBuckets = 20_000

/** Lists and charts weigh 5, changes 10. */
const weights: ReadonlyMap<string, number> = new Map([
  ["GET /user/trade", 5],
  ["GET /user/api-keys", 5],
  ["POST /user/leverage", 10],
  ["POST /user/api-keys", 10],
  ["PATCH /user/api-keys/:public_key", 10],
  ["DELETE /user/api-keys/:public_key", 10],
  ["POST /user/api-keys/:public_key/rotate", 10],
  ["POST /user/builder-code", 10],
  ["POST /user/terms", 10],
  ["POST /user/verification", 10],
  ["PATCH /user/profile", 10],
  ["POST /builder/web3/api-key", 10]
])
