/** Refusals of frames that are not valid commands; each states the expected value. */
import * as Incoming from "./Incoming.ts"

/** Refusal of a whole frame. */
export interface Malformed {
  readonly _tag: "Malformed"
  readonly code: "InvalidJSONFormat" | "InvalidParameter" | "InvalidOrder"
  readonly message: string
  /** JSON text of the frame's echo, or `undefined` if the frame might hold a credential. */
  readonly incoming: string | undefined
}

/** Refusal of part of a request, sent as a separate `err`; the other parts take effect. */
export interface Declined {
  readonly code: "InvalidJSONFormat" | "InvalidParameter"
  readonly message: string
}

/** Returns one refusal for each code that has reasons, InvalidJSONFormat first. */
export const declined = (reasons: Readonly<Record<Declined["code"], ReadonlyArray<string>>>): ReadonlyArray<Declined> =>
  (["InvalidJSONFormat", "InvalidParameter"] as const)
    .map((code) => ({ code, message: reasons[code].join("; ") }))
    .filter(({ message }) => message !== "")

/** Returns one reason, which lists the invalid entries of a list, or an empty list if every entry is valid. */
export const wrongEntries = (field: string, values: ReadonlyArray<unknown>, expected: string): ReadonlyArray<string> =>
  values.length === 0 ? [] : [`wrong field ${field}: expected ${expected}, got ${listed(values.map(shown))}`]

/** Joins names with commas: at most 16 names, then the number of omitted names. */
export const listed = (names: ReadonlyArray<string>): string =>
  names.length <= listedLimit
    ? names.join(", ")
    : `${names.slice(0, listedLimit).join(", ")} and ${names.length - listedLimit} more`

/** Returns a refusal without an echo. */
export const malformed = (code: Malformed["code"], message: string): Malformed => ({
  _tag: "Malformed",
  code,
  message,
  incoming: undefined
})

/** Returns the refusal for a field that is missing or has the wrong type. */
export const wrong = (field: string, value: unknown, expected: string): Malformed =>
  malformed(
    "InvalidJSONFormat",
    value === undefined
      ? `missing field ${field}: expected ${expected}`
      : `wrong field ${field}: expected ${expected}, got ${shown(value)}`
  )

/** Returns the refusal for a field of the right type with an invalid value. */
export const outOfRange = (field: string, value: unknown, expected: string): Malformed =>
  malformed("InvalidParameter", `invalid ${field}: expected ${expected}, got ${shown(value)}`)

/** Adds a frame's echo to its refusal; the frame must be a JSON object. */
export const echoing = (refusal: Malformed, text: string): Malformed => ({
  ...refusal,
  incoming: Incoming.ofObject(text)
})

/** Returns the refusal for a text frame that is not a JSON object. */
export const notAnObject = (text: string, value: unknown): Malformed => ({
  _tag: "Malformed",
  code: "InvalidJSONFormat",
  message: `expected one JSON object per text frame, got ${value === undefined ? "text that is not JSON" : kind(value)}`,
  incoming: Incoming.ofText(text)
})

/** Returns the type of a value with its article, such as "an array", without showing the value. */
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

const listedLimit = 16

/** Maximum length of a wrong value in a message, in characters. */
const shownLimit = 40
