/** Rails that a process is connected to, from its settings. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as StoredRails from "@venue/simulation/rails/StoredRails"
import { type RailProvider, RailProviders } from "@venue/providers/rails/RailProvider"
import { Effect, Layer, Option } from "effect"
import type { HttpClient } from "effect/http"
import * as ArbitrumSettings from "./ArbitrumSettings.ts"
import * as BankSettings from "./BankSettings.ts"
import type { NodeSettings } from "./NodeVariables.ts"
import { faultsOf as faultsOfCheck, type SettingRefused } from "./SettingRefused.ts"
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

/** A gateway's rails: they derive deposit addresses, without access to chain endpoints, the bank or signing keys. */
export const layerGateway = ({ arbitrum, bank, tron }: RailSettings): Layer.Layer<RailProviders, SettingRefused> =>
  Layer.effect(
    RailProviders,
    Effect.map(Effect.all([ArbitrumSettings.addressesOnly(arbitrum), TronSettings.addressesOnly(tron)]), (chains) =>
      connected([...chains, BankSettings.nameOnly(bank)])
    )
  )

/** Returns all faults with which the rails of this node would fail, one for each rail. */
export const faultsOf = ({ arbitrum, bank, kind, tron }: NodeSettings) =>
  Effect.forEach(
    kind === "runner"
      ? [ArbitrumSettings.provider(arbitrum), TronSettings.provider(tron), BankSettings.provider(bank)]
      : [
          ArbitrumSettings.addressesOnly(arbitrum),
          TronSettings.addressesOnly(tron),
          BankSettings.webhookSecretOf(bank)
        ],
    (check) => faultsOfCheck<HttpClient.HttpClient>(check)
  ).pipe(
    Effect.map((faults) => faults.flat()),
    Effect.provide(NodeHttpClient.layerUndici)
  )

const connected = (providers: ReadonlyArray<Option.Option<RailProvider>>) => {
  const known = providers.flatMap((provider) => Option.toArray(provider))
  return RailProviders.of(new Map(known.map((each) => [each.rail, each])))
}

type FilledIn = RailSettings & Pick<SharedSettings, "simulatedRails">

/** Rails for development, in which unconnected rails are simulated. */
export const layerFilledIn = (settings: FilledIn) =>
  settings.simulatedRails ? StoredRails.fillingIn(layer(settings)) : layer(settings)

/** Rails for a development gateway, with the same simulation. */
export const layerGatewayFilledIn = (settings: FilledIn) =>
  settings.simulatedRails ? StoredRails.fillingIn(layerGateway(settings)) : layerGateway(settings)
