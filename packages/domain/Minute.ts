/** Minutes of UTC, numbered from 1970-01-01T00:00Z as minute 0. */

export const minuteMillis = 60_000

/** Returns the number of the minute that contains a Unix time in milliseconds. */
export const minuteOf = (atMillis: number): number => Math.floor(atMillis / minuteMillis)
