/** UTC days, numbered from 1970-01-01 as day 0. */

export const dayMillis = 86_400_000

/** Returns the date of a day number as `YYYY-MM-DD`. */
export const dateOf = (day: number): string => new Date(day * dayMillis).toISOString().slice(0, 10)

/** Returns the number of the UTC day that contains a Unix time in milliseconds. */
export const dayOf = (atMillis: number): number => Math.floor(atMillis / dayMillis)
