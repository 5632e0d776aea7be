/** Number of gateways that share the venue-wide rate limits; 1 for a venue of one process. */
import { Context, Effect, Layer } from "effect"
import { Nodes } from "./Nodes.ts"

export const LivingGateways = Context.Reference<() => number>("@venue/storage/nodes/LivingGateways", {
  defaultValue: () => () => 1
})

export const layer: Layer.Layer<never, never, Nodes> = Layer.effect(
  LivingGateways,
  Effect.map(Nodes, (nodes) => nodes.livingGateways)
)
