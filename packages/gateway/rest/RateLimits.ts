/** How much each caller may ask of REST: a bucket for each user, and for each address of those who name no user. */

export interface RateLimits {
  /** 0 when the weight was taken, else how long to wait for it. */
  readonly spend: (caller: string, weight: number) => number
}

/** What a request weighs: 1, unless it stands here. */
export const weightOf = (action: string): number => weights.get(action) ?? 1

export const make = (options: { readonly enabled: boolean; readonly nowMillis: () => number }): RateLimits => {
  const buckets = new Map<string, { readonly tokens: number; readonly atMillis: number }>()
  return {
    spend: (caller, weight) => {
      if (!options.enabled) return 0
      const now = options.nowMillis()
      const { atMillis, tokens } = buckets.get(caller) ?? { tokens: capacity, atMillis: now }
      const filled = Math.min(capacity, tokens + Math.max(0, now - atMillis) * perMilli)
      // The map keeps the order of use, so what leaves it first was used longest ago.
      buckets.delete(caller)
      buckets.set(caller, { tokens: filled >= weight ? filled - weight : filled, atMillis: now })
      if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value!)
      return filled >= weight ? 0 : Math.ceil((weight - filled) / perMilli)
    }
  }
}

const capacity = 1_200
const perMilli = capacity / 60_000
const maxBuckets = 20_000

/** Lists and charts weigh 5, changes 10. */
const weights: ReadonlyMap<string, number> = new Map([
  ["GET /user/trade", 5],
  ["POST /user/leverage", 10]
])
