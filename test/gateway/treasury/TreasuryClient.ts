/** Venue in memory whose REST client sends to the treasury interface. */
import * as TreasuryServer from "@venue/gateway/treasury/TreasuryServer"
import { Effect, Layer } from "effect"
import { callsTo, layer as restLayer, RestClient } from "../rest/RestClient.ts"
import * as Rails from "./Rails.ts"

export const options = { host: "127.0.0.1", port: 0, brand: "acme", newAddressHoldHours: () => 24 }

/** Replaces the REST client's URL by that of the treasury interface. */
export const layerOver = Layer.effect(
  RestClient,
  Effect.gen(function* () {
    const { url } = yield* TreasuryServer.open(options)
    return RestClient.of({ ...(yield* RestClient), ...callsTo(url) })
  })
)

export const layer = layerOver.pipe(Layer.provideMerge(restLayer), Layer.provideMerge(Rails.layer))
