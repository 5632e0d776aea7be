/** Variables that a process was given, and all their faults: misspelt names, invalid values and missing ones. */
import { type Config, ConfigProvider, Effect, Result } from "effect"
import * as ExampleValues from "./ExampleValues.ts"
import * as KnownNames from "./KnownNames.ts"
import * as SecretFiles from "./SecretFiles.ts"
import * as Setting from "./Setting.ts"
import { firstOfEach, refuseAll, SettingRefused } from "./SettingRefused.ts"
import * as StartFailure from "./StartFailure.ts"
import * as Variables from "./Variables.ts"

export interface Given {
  readonly faults: ReadonlyArray<SettingRefused>
  /** Names of unknown variables that resemble no setting, for a warning. */
  readonly unknown: ReadonlyArray<string>
  /** Variables that can be parsed: without invalid values, and with a stand-in for each missing value. */
  readonly usable: ConfigProvider.ConfigProvider
}

/** Checks the variables of one program. `environment` includes the contents of secret files. */
export const check = Effect.fn("GivenSettings.check")(function* (
  program: Setting.Reader,
  environment: ConfigProvider.ConfigProvider
): Effect.fn.Return<Given> {
  // A provider that adds the contents of secret files does not list the names.
  const unknown = (yield* Variables.namesIn(yield* ConfigProvider.ConfigProvider)).filter(
    (name) => !KnownNames.has(name)
  )
  const misspelt = unknown.flatMap((name) => {
    const meant = KnownNames.nearest(name)
    return meant === undefined ? [] : [new SettingRefused({ setting: name, expected: `another name: use ${meant}` })]
  })
  const [invalid, missing]: [Array<SettingRefused>, Array<SettingRefused>] = [[], []]
  for (const { config, name, requiredBy = [] } of Setting.declared) {
    const value = yield* Variables.valueOf(environment, name)
    if (value === undefined) {
      if (requiredBy.includes(program)) missing.push(new SettingRefused({ setting: name, expected: "a value" }))
      continue
    }
    const fault = yield* Effect.match(config.parse(environment), {
      onFailure: (error) => StartFailure.refusalOf(error),
      onSuccess: () => undefined
    })
    if (fault !== undefined) invalid.push(fault)
  }
  const dropped = new Set(invalid.map(({ setting }) => setting))
  const standIns = Object.fromEntries(missing.map(({ setting }) => [setting, standIn]))
  const usable = ConfigProvider.orElse(
    ConfigProvider.make((path) => (dropped.has(path.join("_")) ? Effect.undefined : environment.load(path))),
    ConfigProvider.fromUnknown(standIns)
  )
  const spelt = unknown.filter(
    (name) => !KnownNames.isOfKubernetes(name) && misspelt.every(({ setting }) => setting !== name)
  )
  return { faults: [...misspelt, ...missing, ...invalid], unknown: spelt, usable }
})

/**
 * Parses the settings of a program that is not a node, such as the auditor. Returns the result with all faults of the
 * variables.
 */
export const parsed = Effect.fnUntraced(function* <A, R>(
  program: Setting.Reader,
  parse: Effect.Effect<A, SettingRefused | Config.ConfigError, R>
) {
  const files = yield* SecretFiles.read
  const { faults, unknown, usable } = yield* check(program, files.provider)
  const result = yield* parse.pipe(
    Effect.catchTag("ConfigError", (error) => Effect.fail(StartFailure.refusalOf(error))),
    Effect.provideService(ConfigProvider.ConfigProvider, usable),
    Effect.result
  )
  const all = [...files.faults, ...faults, ...(Result.isFailure(result) ? [result.failure] : [])]
  return { result, faults: firstOfEach(all), unknown, given: files.provider }
})

/** Returns the settings, or refuses all invalid ones. */
export const loaded = Effect.fnUntraced(function* <A, R>(
  program: Setting.Reader,
  parse: Effect.Effect<A, SettingRefused | Config.ConfigError, R>
) {
  const { faults, given, result } = yield* parsed(program, parse)
  yield* refuseAll([...faults, ...(yield* ExampleValues.faultsOf(given))])
  return yield* Effect.fromResult(result)
})

/** Long enough for every secret. The missing value is refused before this one is used. */
const standIn = "0".repeat(64)
