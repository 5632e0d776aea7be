/** Where the prices come from: the sources of a file, and a simulation of all symbols that they leave out. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { VenueSettings } from "@venue/cluster/VenueSettings"
import * as PriceSettings from "@venue/providers/prices/PriceSettings"
import * as SimulatedPrices from "@venue/simulation/prices/SimulatedPrices"
import { Effect, FileSystem, Layer, Option } from "effect"
import { SettingRefused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"

/** `simulated` are the symbols whose prices come as soon as the venue stands; `text` is what the file says. */
export const sources = Effect.fn("Prices.sources")(function* (
  { priceSources, simulatedPrices }: SharedSettings,
  instruments: VenueSettings["instruments"]
) {
  const told = Option.isNone(priceSources)
    ? { sources: [], leastSources: 1, text: undefined }
    : yield* fromFile(priceSources.value, instruments)
  const symbols = [...instruments.keys()].filter((symbol) => !told.sources.some((source) => source.symbols.has(symbol)))
  if (!simulatedPrices) return { ...told, simulated: [] }
  const simulation = SimulatedPrices.make({ seed: 1, speed: 1, symbols })
  return { ...told, sources: [...told.sources, simulation], simulated: [...simulation.symbols.keys()] }
})

const fromFile = Effect.fnUntraced(function* (path: string, instruments: VenueSettings["instruments"]) {
  const files = yield* FileSystem.FileSystem
  const refused = (why: string) =>
    new SettingRefused({ setting: "VENUE_PRICE_SOURCES", expected: `a file of price sources (${path}: ${why})` })
  const text = yield* Effect.mapError(files.readFileString(path), ({ message }) => refused(message))
  // For as long as the app, since the sources keep it.
  const client = yield* Layer.build(NodeHttpClient.layerUndici)
  const told = yield* PriceSettings.read(text, (symbol) => instruments.has(symbol)).pipe(
    Effect.mapError(({ reason }) => refused(reason)),
    Effect.provide(client)
  )
  return { ...told, text }
})
