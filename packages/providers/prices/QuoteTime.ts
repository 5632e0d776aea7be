/** Quote times: parsing, and the age limit of a quote. */
/** Maximum age of a quote (rule 3.11). */
export const goodForMillis = 60_000
/** Maximum time by which a source's clock can be ahead, in milliseconds. */
const aheadMillis = 5_000

export const isCurrent = (quotedAtMillis: number, nowMillis: number): boolean =>
  nowMillis - quotedAtMillis <= goodForMillis && quotedAtMillis - nowMillis <= aheadMillis

/** Reads Unix seconds, Unix milliseconds (also as text) or RFC 3339. Returns undefined for other values. */
export const read = (value: unknown): number | undefined => {
  if (typeof value === "number") return ofNumber(value)
  if (typeof value !== "string") return undefined
  return /^\d{1,16}(\.\d{1,9})?$/.test(value) ? ofNumber(Number(value)) : ofInstant(value)
}

/**
 * Smallest number that is read as milliseconds. Seconds reach this number in the year 5138; milliseconds reached it
 * in 1973.
 */
const firstMillis = 1e11

const ofNumber = (value: number): number | undefined => {
  if (!Number.isFinite(value) || value <= 0) return undefined
  return Math.round(value < firstMillis ? value * 1_000 : value)
}

const instant =
  /^(\d{4}-\d{2}-\d{2})[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d{1,12})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

const ofInstant = (text: string): number | undefined => {
  const [, day = "", time = "", fraction = "", zone = ""] = instant.exec(text) ?? []
  const date = new Date(`${day}T${time}${fraction.slice(0, 4)}${zone.toUpperCase()}`)
  const midnight = new Date(`${day}T00:00:00Z`)
  // Rejects days beyond the end of a month, which `Date` would carry over.
  const isOfMonth = !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
  return isOfMonth && !Number.isNaN(date.getTime()) ? date.getTime() : undefined
}
