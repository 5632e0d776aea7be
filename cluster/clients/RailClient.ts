/** Sends messages to the entities of rails. */
import type { RailName } from "@venue/domain/Rail"
import { Context, Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import type { Unavailable } from "../protocol/Market.ts"
import { Rail } from "../protocol/Rail.ts"
import { bounded } from "./ClusterFault.ts"

export class RailClient extends Context.Service<
  RailClient,
  {
    /** Starts the rail's entity unless it runs, and makes it poll at once. */
    readonly wake: (rail: RailName) => Effect.Effect<void, Unavailable>
  }
>()("@venue/cluster/RailClient") {
  static readonly layer: Layer.Layer<RailClient, never, Sharding> = Layer.effect(
    RailClient,
    Effect.map(Rail.client, (client) => RailClient.of({ wake: (rail) => bounded(`rail ${rail}`, client(rail).Wake()) }))
  )
}
