/** RFC 3339 dates and times. Rejects 30 February and 24:00, which `Date` would read as 2 March and midnight. */

/**
 * Parses a `date-time` (RFC 3339 section 5.6), `T` and `Z` in either case, to Unix milliseconds; drops digits beyond
 * milliseconds. Returns undefined for other text, for days and hours that do not exist (section 5.7), and for second
 * 60: Unix time has no leap seconds.
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

/** Parses a `full-date` to the Unix milliseconds of its midnight in UTC; undefined for a day that does not exist. */
export const millisOfDay = (text: string): number | undefined => {
  const millis = fullDate.test(text) ? Date.parse(text) : NaN
  return !Number.isNaN(millis) && new Date(millis).toISOString().startsWith(text) ? millis : undefined
}

const fullDate = /^\d{4}-\d{2}-\d{2}$/
const dateTime =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?(?:Z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i
