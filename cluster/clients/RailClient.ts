/** Sends messages to rail entities. */
import type { RailName } from "@venue/domain/Rail"
import { Context, Effect, Layer } from "effect"
import type { Sharding } from "effect/cluster/Sharding"
import type { Unavailable } from "../protocol/Market.ts"
import { Rail } from "../protocol/Rail.ts"
import { bounded } from "./ClusterFault.ts"

export class RailClient extends Context.Service<
  RailClient,
  {
    /** Starts the rail's entity if it is not running, and makes the entity poll immediately. */
    readonly wake: (rail: RailName) => Effect.Effect<void, Unavailable>
  }
>()("@venue/cluster/RailClient") {
  static readonly layer: Layer.Layer<RailClient, never, Sharding> = Layer.effect(
    RailClient,
    Effect.map(Rail.client, (client) => RailClient.of({ wake: (rail) => bounded(`rail ${rail}`, client(rail).Wake()) }))
  )
}
