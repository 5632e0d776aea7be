/** Days begin at 00:00 UTC and are counted from 1970-01-01. */

export const dayMillis = 86_400_000

export const dateOf = (day: number): string => new Date(day * dayMillis).toISOString().slice(0, 10)

export const dayOf = (atMillis: number): number => Math.floor(atMillis / dayMillis)
