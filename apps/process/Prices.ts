/** Price sources: those in a file, and a simulation of the symbols without a source. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { VenueSettings } from "@venue/cluster/VenueSettings"
import * as PriceSettings from "@venue/providers/prices/PriceSettings"
import * as SimulatedPrices from "@venue/simulation/prices/SimulatedPrices"
import { Effect, FileSystem, Layer, Option } from "effect"
import { SettingRefused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"

/**
 * Returns the sources. `simulated` lists the symbols with simulated prices, which are sent immediately. `text` is the
 * file's contents.
 */
export const sources = Effect.fn("Prices.sources")(function* (
  { priceSources, simulatedPrices }: SharedSettings,
  instruments: VenueSettings["instruments"]
) {
  const configured = Option.isNone(priceSources)
    ? { sources: [], leastSources: 1, text: undefined }
    : yield* fromFile(priceSources.value, instruments)
  const symbols = [...instruments.keys()].filter(
    (symbol) => !configured.sources.some((source) => source.symbols.has(symbol))
  )
  if (!simulatedPrices) return { ...configured, simulated: [] }
  const simulation = SimulatedPrices.make({ seed: 1, speed: 1, symbols })
  return { ...configured, sources: [...configured.sources, simulation], simulated: [...simulation.symbols.keys()] }
})

const fromFile = Effect.fnUntraced(function* (path: string, instruments: VenueSettings["instruments"]) {
  const files = yield* FileSystem.FileSystem
  const refused = (why: string) =>
    new SettingRefused({ setting: "VENUE_PRICE_SOURCES", expected: `a valid price source file (${path}: ${why})` })
  const text = yield* Effect.mapError(files.readFileString(path), ({ message }) => refused(message))
  // Built in the process's scope, because the sources keep the client.
  const client = yield* Layer.build(NodeHttpClient.layerUndici)
  const settings = yield* PriceSettings.read(text, (symbol) => instruments.has(symbol)).pipe(
    Effect.mapError(({ reason }) => refused(reason)),
    Effect.provide(client)
  )
  return { ...settings, text }
})
