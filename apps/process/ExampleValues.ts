/** Values of examples that were not replaced. */
import { type ConfigProvider, Effect } from "effect"
import * as Setting from "./Setting.ts"
import { SettingRefused } from "./SettingRefused.ts"
import * as Variables from "./Variables.ts"

/** Returns a fault for each variable with a value of an example. Development allows them. */
export const faultsOf = Effect.fnUntraced(function* (given: ConfigProvider.ConfigProvider) {
  const environment = yield* Variables.valueOf(given, "VENUE_ENVIRONMENT")
  if (environment === undefined || environment === "development") return []
  const faults = yield* Effect.forEach(Setting.declared, ({ name: setting }) =>
    Effect.map(Variables.valueOf(given, setting), (value) => {
      const example = value === undefined ? undefined : exampleIn(value)
      return example === undefined
        ? []
        : [new SettingRefused({ setting, expected: `your own value in place of ${example}` })]
    })
  )
  return faults.flat()
})

/** Returns the kind of example value that a text contains, or undefined. Never returns the value, which might be secret. */
const exampleIn = (value: string): string | undefined => {
  if (/^<[^>]*>$|=<[^>]*>/.test(value)) return "the placeholder in angle brackets"
  if (/(^|\/\/|[@,\s])[^/,\s]*\.example(?=[:/,?#]|$)/i.test(value)) return "the example domain .example"
  return /(^|,\s*)[a-z_]*0{16,}(,|$)/i.test(value) ? "the zeros of an example" : undefined
}
