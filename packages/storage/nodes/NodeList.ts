/** The processes of a venue of many nodes; empty for a venue of one process. */
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { Context, Effect, Layer } from "effect"
import { type Node, Nodes } from "./Nodes.ts"

export const NodeList = Context.Reference<Effect.Effect<ReadonlyArray<Node>, DatabaseUnavailable>>(
  "@venue/storage/nodes/NodeList",
  { defaultValue: () => Effect.succeed([]) }
)

export const layer: Layer.Layer<never, never, Nodes> = Layer.effect(
  NodeList,
  Effect.map(Nodes, ({ all }) => all)
)
