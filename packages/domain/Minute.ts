/** Minutes of UTC are counted from 1970-01-01T00:00Z. */

export const minuteMillis = 60_000

export const minuteOf = (atMillis: number): number => Math.floor(atMillis / minuteMillis)
