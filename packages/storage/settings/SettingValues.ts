/** Values of running settings: parsed from the stored texts, and observed by the code that uses them. */
import { definitions, type Field, fields, type RunningSettings } from "@venue/domain/RunningSettings"
import { Effect, Redacted, Result, Schema } from "effect"

/** Fields with secrets. */
type SecretField = "priceSources" | "adminToken" | "captchaSecret" | "identityKey" | "identityCallbackKey"

/** Values in force; an unset secret is an empty text. */
export type Values = {
  readonly [F in Field]: F extends SecretField ? Redacted.Redacted : RunningSettings[F]
}

export type Texts = { readonly [F in Field]?: Redacted.Redacted }

export interface Stored {
  readonly text: Redacted.Redacted
  /** Distinguishes secrets; null for other settings. */
  readonly fingerprint: string | null
  readonly changedBy: string
  readonly changedAtMillis: number
}

/** Returns the valid values of a setting if the text is invalid, or undefined. */
export const flawOf = (field: Field, text: string): string | undefined => {
  const parsed = parse(field, text)
  return Result.isSuccess(parsed) ? undefined : parsed.failure
}

/** Returns the text in the form in which it is stored. */
export const canonical = (field: Field, text: string): string => {
  const parsed = parse(field, text)
  if (Result.isFailure(parsed)) return text
  return Schema.encodeSync(definitions[field].codec as Schema.Codec<unknown, string>)(parsed.success)
}

/** Returns the text of a setting's value in force. */
export const textOf = (field: Field, values: Values): string => {
  const value: unknown = values[field]
  return Redacted.isRedacted(value)
    ? String(Redacted.value(value))
    : Schema.encodeSync(definitions[field].codec as Schema.Codec<unknown, string>)(value)
}

/** Returns the given texts of settings without a stored text, and the settings whose stored text differs. */
export const compared = (given: Texts, stored: ReadonlyMap<Field, Stored>) => {
  const missing: { [F in Field]?: Redacted.Redacted } = {}
  const differing: Array<Field> = []
  for (const field of fields) {
    const text = given[field]
    if (text === undefined) continue
    const wanted = canonical(field, Redacted.value(text))
    const known = stored.get(field)
    if (known === undefined) missing[field] = Redacted.make(wanted)
    else if (Redacted.value(known.text) !== wanted) differing.push(field)
  }
  return { missing, differing }
}

/** Values that are replaced as a whole, and their observers. A stored text of a newer release keeps the last value. */
export const view = (defaults: Texts) => {
  const textOf = (field: Field) => {
    const text = defaults[field]
    return text === undefined ? definitions[field].default : Redacted.value(text)
  }
  const unset = Object.fromEntries(fields.map((field) => [field, valueOf(field, textOf(field))])) as Values
  let [version, values] = [-1, unset]
  const observers = new Set<() => void>()
  return {
    now: (): Values => values,
    version: (): number => version,
    replace: (newVersion: number, stored: ReadonlyMap<Field, Stored>) =>
      Effect.suspend(() => {
        // A read that took longer than a later one is out of date.
        if (newVersion <= version) return Effect.void
        version = newVersion
        const before = values
        values = Object.fromEntries(
          fields.map((field) => {
            const known = stored.get(field)
            if (known === undefined) return [field, unset[field]]
            const text = Redacted.value(known.text)
            return [field, flawOf(field, text) === undefined ? valueOf(field, text) : before[field]]
          })
        ) as Values
        return Effect.forEach(
          observers,
          (observe) =>
            Effect.catchDefect(Effect.sync(observe), (defect) =>
              Effect.logError("an observer of the settings failed", defect)
            ),
          { discard: true }
        )
      }),
    watch: (observe: () => void) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => observers.add(observe)),
          () => Effect.sync(() => observers.delete(observe))
        )
      )
  }
}

const valueOf = (field: Field, text: string): unknown =>
  definitions[field].isSecret ? Redacted.make(text) : Result.getOrThrow(parse(field, text))

const parse = (field: Field, text: string): Result.Result<unknown, string> =>
  Result.mapError(
    Schema.decodeResult(definitions[field].codec as Schema.Codec<unknown, string>)(text),
    ({ message }) => message.replace(/^Expected /, "").split(/,? got |\n/)[0]!
  )
