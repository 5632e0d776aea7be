/** A setting has an invalid value. */
import { Effect, Redacted, Result, Schema } from "effect"

export class SettingRefused extends Schema.TaggedError<SettingRefused>()("SettingRefused", {
  setting: Schema.String,
  expected: Schema.String
}) {
  override get message() {
    return `${this.setting}: expected ${this.expected}`
  }
}

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
