/** The rails that a process is connected to, as its settings say. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as StoredRails from "@venue/simulation/rails/StoredRails"
import { type RailProvider, RailProviders } from "@venue/providers/rails/RailProvider"
import { Effect, Layer, Option } from "effect"
import * as ArbitrumSettings from "./ArbitrumSettings.ts"
import * as BankSettings from "./BankSettings.ts"
import type { SettingRefused } from "./SettingRefused.ts"
import type { SharedSettings } from "./Settings.ts"
import * as TronSettings from "./TronSettings.ts"

type RailSettings = Pick<SharedSettings, "arbitrum" | "bank" | "tron">

export const layer = ({ arbitrum, bank, tron }: RailSettings): Layer.Layer<RailProviders, SettingRefused> =>
  Layer.effect(
    RailProviders,
    Effect.map(
      Effect.all([ArbitrumSettings.provider(arbitrum), TronSettings.provider(tron), BankSettings.provider(bank)]),
      connected
    )
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))

/** For a process that users reach: it tells them addresses, and knows neither who answers for a chain or bank nor who signs. */
export const layerGateway = ({ arbitrum, bank, tron }: RailSettings): Layer.Layer<RailProviders, SettingRefused> =>
  Layer.effect(
    RailProviders,
    Effect.map(Effect.all([ArbitrumSettings.addressesOnly(arbitrum), TronSettings.addressesOnly(tron)]), (chains) =>
      connected([...chains, BankSettings.nameOnly(bank)])
    )
  )

const connected = (providers: ReadonlyArray<Option.Option<RailProvider>>) => {
  const known = providers.flatMap((provider) => Option.toArray(provider))
  return RailProviders.of(new Map(known.map((each) => [each.rail, each])))
}

type FilledIn = RailSettings & Pick<SharedSettings, "simulatedRails">

/** In a development the rails that a venue is not connected to are made up. */
export const layerFilledIn = (settings: FilledIn) =>
  settings.simulatedRails ? StoredRails.fillingIn(layer(settings)) : layer(settings)

/** The same of a process that users reach. */
export const layerGatewayFilledIn = (settings: FilledIn) =>
  settings.simulatedRails ? StoredRails.fillingIn(layerGateway(settings)) : layerGateway(settings)
