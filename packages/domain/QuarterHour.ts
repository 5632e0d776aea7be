/** Quarters of an hour of UTC are counted from 1970-01-01T00:00Z. */

export const quarterHourMillis = 900_000

export const quarterHourOf = (atMillis: number): number => Math.floor(atMillis / quarterHourMillis)
