/** How much may be asked: buckets that fill again evenly, one for each name. The clock is given. */

export interface Rate {
  /** What a full bucket holds. */
  readonly capacity: number
  /** How long an empty one takes to be full. */
  readonly refillMillis: number
}

export interface Bucket {
  tokens: number
  filledAtMillis: number
}

export const full = ({ capacity }: Rate, nowMillis: number): Bucket => ({
  tokens: capacity,
  filledAtMillis: nowMillis
})

/** A clock that was set back gives nothing. */
export const refill = (bucket: Bucket, rate: Rate, nowMillis: number): void => {
  bucket.tokens = tokensAt(bucket, rate, nowMillis)
  bucket.filledAtMillis = nowMillis
}

/** How a bucket stands. */
export interface Quota {
  /** What a full bucket holds. */
  readonly capacity: number
  /** A whole number, rounded down. */
  readonly remaining: number
  /** So much later the bucket is full again, if nothing is taken from it meanwhile. */
  readonly fullInMillis: number
}

export const quotaOf = ({ capacity, refillMillis }: Rate, tokens: number): Quota => ({
  capacity,
  remaining: Math.floor(tokens),
  fullInMillis: Math.ceil(((capacity - tokens) * refillMillis) / capacity)
})

/** What became of a weight that was to be taken from a bucket. */
export interface Charge {
  /** 0 when it was taken, else how long to wait for it. */
  readonly waitMillis: number
  /** The bucket afterwards; undefined where nothing is limited, or nobody said. */
  readonly quota: Quota | undefined
}

export interface RateLimits {
  /** 0 when the weight was taken, else how many milliseconds to wait for it. */
  readonly spend: (name: string, weight: number) => number
  /** As `spend`, and says how the bucket stands. */
  readonly charge: (name: string, weight: number) => Charge
  /** Undefined where everything is let through. */
  readonly quota: (name: string) => Quota | undefined
  /** As `spend`, and takes nothing. */
  readonly peek: (name: string, weight: number) => number
  /** Of what was taken before it was known who was to pay; a bucket is never more than full. */
  readonly giveBack: (name: string, weight: number) => void
}

export interface RateLimitsOptions extends Rate {
  /** When it is false, everything is let through. */
  readonly enabled: boolean
  readonly nowMillis: () => number
  /** So many have buckets of the same names and share the rate; each has one of it at least. */
  readonly sharers?: () => number
}

export const make = ({ enabled, nowMillis, sharers = () => 1, ...whole }: RateLimitsOptions): RateLimits => {
  const buckets = new Map<string, Bucket>()
  const rateNow = (): Rate => ({ ...whole, capacity: Math.max(1, whole.capacity / sharers()) })
  const waitMillis = (weight: number, tokens: number, rate: Rate): number =>
    tokens >= weight ? 0 : Math.ceil(((weight - tokens) * rate.refillMillis) / rate.capacity)
  /** The bucket is as of now, and counts as the one that was used last. */
  const filled = (name: string, rate: Rate): Bucket => {
    const now = nowMillis()
    const bucket = buckets.get(name) ?? full(rate, now)
    refill(bucket, rate, now)
    // The map keeps the order of use, so what leaves it first was used longest ago.
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

/** Of a weight that nobody counts. */
export const uncharged: Charge = { waitMillis: 0, quota: undefined }

const tokensAt = ({ filledAtMillis, tokens }: Bucket, { capacity, refillMillis }: Rate, nowMillis: number): number =>
  Math.min(capacity, tokens + (Math.max(0, nowMillis - filledAtMillis) * capacity) / refillMillis)

/** These are remembered; the name that asked least lately is forgotten first. */
const maxBuckets = 20_000
