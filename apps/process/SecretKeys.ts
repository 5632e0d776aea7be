/** The values of `VENUE_SECRET_KEY`: one, or two during a replacement. */
import { Redacted } from "effect"
import type { Rule } from "./SettingRefused.ts"

/** The first key seals and derives. Values sealed or derived under the second are accepted too. */
export type SecretKeys = readonly [current: Redacted.Redacted, other?: Redacted.Redacted | undefined]

/** Returns the keys. A comma separates two keys only if both have the minimum length: a key can contain a comma. */
export const of = (setting: Redacted.Redacted): SecretKeys => {
  const [first = "", second, ...more] = Redacted.value(setting)
    .split(",")
    .map((key) => key.trim())
  const areTwo = second !== undefined && more.length === 0 && isLong(first) && isLong(second)
  return areTwo ? [Redacted.make(first), Redacted.make(second)] : [setting]
}

export const rulesOf = ([current, other]: SecretKeys): ReadonlyArray<Rule> => [
  ["VENUE_SECRET_KEY", isLong(Redacted.value(current)), "at least 32 characters"],
  [
    "VENUE_SECRET_KEY",
    other === undefined || Redacted.value(other) !== Redacted.value(current),
    "two different keys, or one"
  ]
]

const isLong = (key: string): boolean => key.length >= minLength
const minLength = 32

/** Returns both keys as a list. */
export const all = ([current, other]: SecretKeys): ReadonlyArray<Redacted.Redacted> =>
  other === undefined ? [current] : [current, other]
