/** A frame that is not a command: what was wrong with it and what would be right. */
import * as Incoming from "./Incoming.ts"

export interface Malformed {
  readonly _tag: "Malformed"
  readonly code: "InvalidJSONFormat" | "InvalidParameter" | "InvalidOrder"
  readonly message: string
  /** JSON text of the frame's echo, to be placed as it is; `undefined` when the frame may hold a credential. */
  readonly incoming: string | undefined
}

/** What part of a request asked for and does not get: an `err` of its own, while the rest takes effect. */
export interface Declined {
  readonly code: "InvalidJSONFormat" | "InvalidParameter"
  readonly message: string
}

/** Makes one for each code that has a reason, in the order of the codes here. */
export const declined = (reasons: Readonly<Record<Declined["code"], ReadonlyArray<string>>>): ReadonlyArray<Declined> =>
  (["InvalidJSONFormat", "InvalidParameter"] as const)
    .map((code) => ({ code, message: reasons[code].join("; ") }))
    .filter(({ message }) => message !== "")

/** Entries of a list that are not what they should be; no reason when there are none. */
export const wrongEntries = (field: string, values: ReadonlyArray<unknown>, expected: string): ReadonlyArray<string> =>
  values.length === 0 ? [] : [`wrong field ${field}: expected ${expected}, got ${listed(values.map(shown))}`]

/** A message names as many. */
export const listed = (names: ReadonlyArray<string>): string =>
  names.length <= listedLimit
    ? names.join(", ")
    : `${names.slice(0, listedLimit).join(", ")} and ${names.length - listedLimit} more`

export const malformed = (code: Malformed["code"], message: string): Malformed => ({
  _tag: "Malformed",
  code,
  message,
  incoming: undefined
})

/** A field that is missing or of another type. */
export const wrong = (field: string, value: unknown, expected: string): Malformed =>
  malformed(
    "InvalidJSONFormat",
    value === undefined
      ? `missing field ${field}: expected ${expected}`
      : `wrong field ${field}: expected ${expected}, got ${shown(value)}`
  )

/** A field of the right type whose value is not allowed. */
export const outOfRange = (field: string, value: unknown, expected: string): Malformed =>
  malformed("InvalidParameter", `invalid ${field}: expected ${expected}, got ${shown(value)}`)

/** With the echo of the frame it was found in. */
export const echoing = (refusal: Malformed, text: string): Malformed => ({
  ...refusal,
  incoming: Incoming.ofObject(text)
})

/** A text frame that is no JSON object at all. */
export const notAnObject = (text: string, value: unknown): Malformed => ({
  _tag: "Malformed",
  code: "InvalidJSONFormat",
  message: `expected one JSON object per text frame, got ${value === undefined ? "text that is not JSON" : kind(value)}`,
  incoming: Incoming.ofText(text)
})

/** Names a value's kind without showing it. */
export const kind = (value: unknown): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" ? "an object" : `a ${typeof value}`
}

const shown = (value: unknown): string => {
  if (typeof value === "number" || typeof value === "boolean") return String(value)
  if (typeof value !== "string") return kind(value)
  return value.length <= shownLimit ? JSON.stringify(value) : `${JSON.stringify(value.slice(0, shownLimit))} and more`
}

/** Names of a list that a message shows. */
const listedLimit = 16

/** Characters of a wrong value that a message shows. */
const shownLimit = 40
