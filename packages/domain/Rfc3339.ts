/** Dates and times as RFC 3339 writes them. `Date` reads 30 February as 2 March and 24:00 as midnight; this refuses both. */

/**
 * Returns Unix milliseconds of a `date-time` (RFC 3339 section 5.6), `T` and `Z` in either case; digits beyond
 * milliseconds are dropped. Undefined for other text, for days and hours that no calendar or clock has (section 5.7),
 * and for the second 60: Unix time has no leap second to return.
 */
export const millisOfDateTime = (text: string): number | undefined => {
  const [, day = "", hours, minutes, seconds, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] =
    dateTime.exec(text) ?? []
  const midnight = millisOfDay(day)
  if (midnight === undefined) return undefined
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000
  const time =
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 +
    Number(fraction.padEnd(3, "0").slice(0, 3))
  return midnight + time - (sign === "-" ? -offset : offset)
}

/** Returns Unix milliseconds of the midnight in UTC at which a `full-date` starts; undefined for a day that no month has. */
export const millisOfDay = (text: string): number | undefined => {
  const millis = fullDate.test(text) ? Date.parse(text) : NaN
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text) ? millis : undefined
}

const fullDate = /^\d{4}-\d{2}-\d{2}$/
const dateTime =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i
