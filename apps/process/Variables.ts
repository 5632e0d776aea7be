/** Variables of an environment, by name. */
import { type ConfigProvider, Effect } from "effect"

/** Returns the text of a variable, or undefined for an absent or empty one. */
export const valueOf = (environment: ConfigProvider.ConfigProvider, name: string): Effect.Effect<string | undefined> =>
  Effect.match(environment.load([name]), {
    onFailure: () => undefined,
    onSuccess: (node) => (node?.value === "" ? undefined : node?.value)
  })

/** Returns the names of the variables that begin with `VENUE_`. */
export const namesIn = (
  environment: ConfigProvider.ConfigProvider,
  path: ReadonlyArray<string | number> = []
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const node = yield* Effect.orElseSucceed(environment.load([...path]), () => undefined)
    if (node === undefined) return []
    const keys =
      node._tag === "Record" ? [...node.keys] : node._tag === "Array" ? Array.from(Array(node.length).keys()) : []
    const within = path.length === 0 ? keys.filter((key) => /^VENUE(_|$)/.test(String(key))) : keys
    const nested = yield* Effect.forEach(within, (key) => namesIn(environment, [...path, key]))
    return [...(node.value === undefined || node.value === "" ? [] : [path.join("_")]), ...nested.flat()]
  })
