/**
 * A runner as a separate process: `node PricedRunner.ts <database> <name> <port> <clock shift in ms>`. It prints a
 * line when it starts its price source. The price is a function of time and rises by one cent every 100 ms.
 */
import * as ClusterNode from "@venue/cluster/ClusterNode"
import * as DeadRunners from "@venue/cluster/DeadRunners"
import * as Runner from "@venue/cluster/Runner"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { initialInstruments } from "@venue/domain/Instrument"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import { Seal } from "@venue/postgres/Seal"
import { type PriceSource, PriceSources } from "@venue/providers/prices/PriceSource"
import * as VenueStorage from "@venue/storage/VenueStorage"
import { Nodes } from "@venue/storage/nodes/Nodes"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Clock, Console, Effect, Layer, Redacted, Stream } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Membership } from "../../apps/process/Membership.ts"
import * as Pools from "../../apps/process/Pools.ts"

export const lockSeconds = 3
export const [instrument] = initialInstruments as [(typeof initialInstruments)[number]]

export const venue = Layer.succeed(VenueSettings)({
  ...defaults,
  desks: 2,
  instruments: new Map([[instrument.symbol, instrument]])
})

/** Returns a clock shifted to a time at which the markets are open. */
export const shifted = (shiftMillis: number) =>
  DatabaseClock.layerShifted.pipe(Layer.provide(Layer.succeed(DatabaseClock.ClockShift)(shiftMillis)))

const source: PriceSource = {
  name: "rising",
  symbols: new Map([[instrument.symbol, { spot: "rising" }]]),
  run: ({ tell }) =>
    Effect.andThen(
      Console.log("runs the source"),
      Effect.forever(
        Effect.gen(function* () {
          const tenths = Math.floor((yield* Clock.currentTimeMillis) / 100) % 100_000
          tell({ contract: "rising", priceE8: 20_000_000_000 + tenths * 1_000_000 })
          yield* Effect.sleep("100 millis")
        })
      )
    )
}

/** The same layers as in `apps/runner`. */
const layer = (databaseUrl: Redacted.Redacted, name: string, port: number, shiftMillis: number) => {
  const pools = Pools.make({ databaseUrl, name }, "runner")
  const address = { host: "127.0.0.1", port }
  const node = { nodeId: name, name, kind: "runner", address: `127.0.0.1:${port}`, release: "", settings: {} } as const
  return Layer.merge(Runner.layer, DeadRunners.layer).pipe(
    Layer.provideMerge(
      ClusterNode.runner({ lockSeconds, dialFrom: undefined, tls: undefined, address, listen: address }).pipe(
        Layer.provide(pools.cluster)
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(
        VenueStorage.layer(pools),
        Membership.layer(node).pipe(Layer.provideMerge(Nodes.layer), Layer.provide(pools.nodes))
      )
    ),
    Layer.provide(Layer.succeed(PriceSources)(Stream.succeed({ sources: [source], leastSources: 1 }))),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Seal.layer(Redacted.make("0123456789abcdef0123456789abcdef"))),
    Layer.provideMerge(venue),
    Layer.provide(shifted(shiftMillis))
  )
}

if (import.meta.main) {
  const [url, name, port, shift] = process.argv.slice(2) as [string, string, string, string]
  NodeRuntime.runMain(Layer.launch(layer(Redacted.make(url), name, Number(port), Number(shift))))
}
