/** Token-bucket rate limits: one bucket per name, refilled continuously. The caller supplies the clock. */

/** Capacity and refill time of a bucket. */
export interface Rate {
  /** Tokens in a full bucket. */
  readonly capacity: number
  /** Time in milliseconds in which an empty bucket refills completely. */
  readonly refillMillis: number
}

/** A bucket: its tokens at the Unix time `filledAtMillis`. */
export interface Bucket {
  tokens: number
  filledAtMillis: number
}

/** Returns a full bucket. */
export const full = ({ capacity }: Rate, nowMillis: number): Bucket => ({
  tokens: capacity,
  filledAtMillis: nowMillis
})

/** Adds the tokens for the elapsed time. If the clock was set back, adds no tokens. */
export const refill = (bucket: Bucket, rate: Rate, nowMillis: number): void => {
  bucket.tokens = tokensAt(bucket, rate, nowMillis)
  bucket.filledAtMillis = nowMillis
}

/** State of a bucket, as shown to the client. */
export interface Quota {
  readonly capacity: number
  /** Whole tokens left, rounded down. */
  readonly remaining: number
  /** Time in milliseconds until the bucket is full, if nothing is taken meanwhile. */
  readonly fullInMillis: number
}

/** Returns the state of a bucket that holds `tokens`. */
export const quotaOf = ({ capacity, refillMillis }: Rate, tokens: number): Quota => ({
  capacity,
  remaining: Math.floor(tokens),
  fullInMillis: Math.ceil(((capacity - tokens) * refillMillis) / capacity)
})

/** Result of taking a weight from a bucket. */
export interface Charge {
  /** 0 if the weight was taken; otherwise the time in milliseconds until enough tokens are available. */
  readonly waitMillis: number
  /** State of the bucket afterwards; undefined if rate limits are off or the state is unknown. */
  readonly quota: Quota | undefined
}

/** Rate limits by name. */
export interface RateLimits {
  /** Takes a weight and returns 0, or returns the time in milliseconds until enough tokens are available. */
  readonly spend: (name: string, weight: number) => number
  /** Takes a weight like `spend` and returns the state of the bucket as well. */
  readonly charge: (name: string, weight: number) => Charge
  /** Returns the state of a bucket; undefined if rate limits are off. */
  readonly quota: (name: string) => Quota | undefined
  /** Returns what `spend` would return, without taking anything. */
  readonly peek: (name: string, weight: number) => number
  /** Puts back a weight that was taken before its payer was known; never above the capacity. */
  readonly giveBack: (name: string, weight: number) => void
}

/** Options of `make`. */
export interface RateLimitsOptions extends Rate {
  /** False admits everything. */
  readonly enabled: boolean
  readonly nowMillis: () => number
  /** Number of processes that share the rate, each with its own buckets; each gets a capacity of at least 1. */
  readonly sharers?: () => number
}

/** Returns rate limits with an empty set of buckets; an unknown name starts with a full bucket. */
export const make = ({ enabled, nowMillis, sharers = () => 1, ...whole }: RateLimitsOptions): RateLimits => {
  const buckets = new Map<string, Bucket>()
  const rateNow = (): Rate => ({ ...whole, capacity: Math.max(1, whole.capacity / sharers()) })
  const waitMillis = (weight: number, tokens: number, rate: Rate): number =>
    tokens >= weight ? 0 : Math.ceil(((weight - tokens) * rate.refillMillis) / rate.capacity)
  /** Refills a bucket and marks it as the most recently used. */
  const filled = (name: string, rate: Rate): Bucket => {
    const now = nowMillis()
    const bucket = buckets.get(name) ?? full(rate, now)
    refill(bucket, rate, now)
    // The map keeps the order of use: its first key is the least recently used.
    buckets.delete(name)
    buckets.set(name, bucket)
    if (buckets.size > maxBuckets) buckets.delete(buckets.keys().next().value!)
    return bucket
  }
  const take = (bucket: Bucket, weight: number, rate: Rate): number => {
    const wait = waitMillis(weight, bucket.tokens, rate)
    if (wait === 0) bucket.tokens -= weight
    return wait
  }
  return {
    peek: (name, weight) => {
      const bucket = enabled ? buckets.get(name) : undefined
      if (bucket === undefined) return 0
      const rate = rateNow()
      return waitMillis(weight, tokensAt(bucket, rate, nowMillis()), rate)
    },
    giveBack: (name, weight) => {
      if (!enabled || !buckets.has(name)) return
      const rate = rateNow()
      const bucket = filled(name, rate)
      bucket.tokens = Math.min(rate.capacity, bucket.tokens + weight)
    },
    spend: (name, weight) => {
      if (!enabled) return 0
      const rate = rateNow()
      return take(filled(name, rate), weight, rate)
    },
    charge: (name, weight) => {
      if (!enabled) return uncharged
      const rate = rateNow()
      const bucket = filled(name, rate)
      return { waitMillis: take(bucket, weight, rate), quota: quotaOf(rate, bucket.tokens) }
    },
    quota: (name) => {
      if (!enabled) return undefined
      const rate = rateNow()
      const bucket = buckets.get(name)
      return quotaOf(rate, bucket === undefined ? rate.capacity : tokensAt(bucket, rate, nowMillis()))
    }
  }
}

/** Result for a weight that is not charged to any bucket. */
export const uncharged: Charge = { waitMillis: 0, quota: undefined }

const tokensAt = ({ filledAtMillis, tokens }: Bucket, { capacity, refillMillis }: Rate, nowMillis: number): number =>
  Math.min(capacity, tokens + (Math.max(0, nowMillis - filledAtMillis) * capacity) / refillMillis)

/** Maximum number of buckets; the least recently used is dropped first. */
const maxBuckets = 20_000
