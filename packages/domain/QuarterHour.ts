/** Quarter hours of UTC, numbered from 1970-01-01T00:00Z as quarter 0. */

export const quarterHourMillis = 900_000

/** Returns the number of the quarter hour that contains a Unix time in milliseconds. */
export const quarterHourOf = (atMillis: number): number => Math.floor(atMillis / quarterHourMillis)
