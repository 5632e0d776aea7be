/** Price sources: the stored ones, and a simulation of the symbols without a source. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as PriceSettings from "@venue/providers/prices/PriceSettings"
import { PriceSources, type Sources } from "@venue/providers/prices/PriceSource"
import * as SimulatedPrices from "@venue/simulation/prices/SimulatedPrices"
import { RunningSettings } from "@venue/storage/settings/RunningSettings"
import { Effect, Layer, Redacted, SubscriptionRef } from "effect"
import type { HttpClient } from "effect/http"
import { refused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"

type Instruments = VenueSettings["instruments"]

/** The sources follow the running settings and the listed contracts. An invalid text keeps the last sources. */
export const layer = (settings: Pick<SharedSettings, "simulatedPrices">) =>
  Layer.effect(
    PriceSources,
    Effect.gen(function* () {
      const running = yield* RunningSettings
      const { instruments, watchListed } = yield* VenueSettings
      // Built in the layer's scope, because the sources keep the client.
      const client = yield* Layer.build(NodeHttpClient.layerUndici)
      let text = Redacted.value(running.now().priceSources)
      const ref = yield* SubscriptionRef.make(
        yield* built(settings, instruments, text).pipe(
          Effect.provide(client),
          Effect.catch((reason) => Effect.as(invalid(reason), none))
        )
      )
      const run = Effect.runForkWith(yield* Effect.context<never>())
      const rebuild = () =>
        void run(
          built(settings, instruments, text).pipe(
            Effect.provide(client),
            Effect.flatMap((sources) => SubscriptionRef.set(ref, sources)),
            Effect.catch(invalid)
          )
        )
      yield* running.watch(() => {
        const next = Redacted.value(running.now().priceSources)
        if (next === text) return
        text = next
        rebuild()
      })
      // Sources of a new contract might have been stored by another node before this node listed the contract.
      const stop = watchListed(rebuild)
      yield* Effect.addFinalizer(() => Effect.sync(stop))
      return SubscriptionRef.changes(ref)
    })
  )

const none: Sources = { sources: [], leastSources: 1 }
const invalid = (reason: string) => Effect.logError(`the stored price sources are invalid: ${reason}`)

const built = (
  { simulatedPrices }: Pick<SharedSettings, "simulatedPrices">,
  instruments: Instruments,
  text: string
): Effect.Effect<Sources, string, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const stored =
      text === ""
        ? none
        : yield* Effect.mapError(
            PriceSettings.read(text, (symbol) => instruments.has(symbol)),
            ({ reason }) => reason
          )
    if (!simulatedPrices) return stored
    const simulation = simulationOf(instruments, stored)
    return { ...stored, sources: [...stored.sources, simulation] }
  })

const simulationOf = (instruments: Instruments, { sources }: Sources) =>
  SimulatedPrices.make({
    seed: 1,
    speed: 1,
    symbols: [...instruments.keys()].filter((symbol) => !sources.some((source) => source.symbols.has(symbol)))
  })

/** Returns the symbols with simulated prices, if this text has the price sources. */
export const simulated = Effect.fnUntraced(function* (
  { simulatedPrices }: Pick<SharedSettings, "simulatedPrices">,
  instruments: Instruments,
  priceSources: Redacted.Redacted = Redacted.make("")
): Effect.fn.Return<ReadonlyArray<MarketSymbol>> {
  if (!simulatedPrices) return []
  const stored = yield* built({ simulatedPrices: false }, instruments, Redacted.value(priceSources)).pipe(
    Effect.provide(NodeHttpClient.layerUndici),
    Effect.orElseSucceed(() => none)
  )
  return [...simulationOf(instruments, stored).symbols.keys()]
})

/** Refuses an invalid file of initial price sources. */
export const check = Effect.fnUntraced(function* (instruments: Instruments, priceSources?: Redacted.Redacted) {
  if (priceSources === undefined) return
  const flaw = yield* PriceSettings.flawOf(Redacted.value(priceSources), (symbol) => instruments.has(symbol))
  if (flaw !== undefined) yield* refused("VENUE_PRICE_SOURCES", flaw)
})
