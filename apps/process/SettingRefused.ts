/** Settings with invalid values. */
import { Effect, Redacted, Result, Schema } from "effect"

export class SettingRefused extends Schema.TaggedError<SettingRefused>()("SettingRefused", {
  setting: Schema.String,
  expected: Schema.String
}) {
  override get message() {
    return `${this.setting}: expected ${this.expected}`
  }
}

/** Several settings are refused; each fault names one of them. */
export class SettingsRefused extends Schema.TaggedError<SettingsRefused>()("SettingsRefused", {
  faults: Schema.Array(SettingRefused)
}) {
  override get message() {
    return this.faults.map(({ message }) => message).join("; ")
  }
}

/** A setting, whether its value is valid, and the valid values. */
export type Rule = readonly [setting: string, holds: boolean, expected: string]

export const broken = (rules: ReadonlyArray<Rule>): ReadonlyArray<SettingRefused> =>
  rules.filter(([, holds]) => !holds).map(([setting, , expected]) => new SettingRefused({ setting, expected }))

/** Fails with all faults, the first one for each setting. */
export const refuseAll = (
  faults: ReadonlyArray<SettingRefused>
): Effect.Effect<void, SettingRefused | SettingsRefused> => {
  const first = firstOfEach(faults)
  if (first.length === 0) return Effect.void
  return Effect.fail(first.length === 1 ? first[0]! : new SettingsRefused({ faults: first }))
}

/** Returns the first fault of each setting, because later faults of a setting follow from its first one. */
export const firstOfEach = (faults: ReadonlyArray<SettingRefused>): ReadonlyArray<SettingRefused> =>
  faults.filter(({ setting }, index) => faults.findIndex((fault) => fault.setting === setting) === index)

/** Runs a check, and returns its refusal as a list. */
export const faultsOf = <R>(check: Effect.Effect<unknown, SettingRefused, R>) =>
  Effect.match(check, {
    onFailure: (fault): ReadonlyArray<SettingRefused> => [fault],
    onSuccess: (): ReadonlyArray<SettingRefused> => []
  })

export const refused = (setting: string, expected: string) => Effect.fail(new SettingRefused({ setting, expected }))

export const expect = (setting: string, holds: boolean, expected: string) =>
  holds ? Effect.void : refused(setting, expected)

/** Returns the value, or refuses the setting with the failure as the expected value. */
export const right = <A>(setting: string, result: Result.Result<A, string>) =>
  Result.match(result, {
    onFailure: (expected) => refused(setting, expected),
    onSuccess: (value) => Effect.succeed(value)
  })

/** Parses URLs that are separated by commas. Each URL might contain a key. */
export const urlsOf = Effect.fnUntraced(function* (setting: string, urls: Redacted.Redacted) {
  const all = Redacted.value(urls)
    .split(",")
    .map((url) => url.trim())
    .filter((url) => url !== "")
  const areRight = all.length > 0 && all.every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""))
  yield* expect(setting, areRight, "http or https URLs, separated by commas")
  return all.map((url) => Redacted.make(url))
})
