/**
 * Runner without entities, in this process or in a process that a test kills: `node LoneRunner.ts <database> <name>
 * <port>`.
 */
import * as ClusterNode from "@venue/cluster/ClusterNode"
import * as DeadRunners from "@venue/cluster/DeadRunners"
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { Nodes } from "@venue/storage/nodes/Nodes"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted } from "effect"
import { Membership } from "../../apps/process/Membership.ts"
import * as Pools from "../../apps/process/Pools.ts"

/** Longer than any test waits, so that a move within a test cannot be caused by an expired lock. */
const lockSeconds = 60

export const desks = 4

/** Returns the layers of `apps/runner` without the venue. */
export const layer = (databaseUrl: Redacted.Redacted, name: string, port: number) => {
  const pools = Pools.make({ databaseUrl, name }, "runner")
  const address = { host: "127.0.0.1", port }
  const node = { nodeId: `${name} of now`, name, kind: "runner", address: `127.0.0.1:${port}`, release: "" } as const
  return DeadRunners.layer.pipe(
    Layer.provideMerge(
      ClusterNode.runner({ lockSeconds, dialFrom: undefined, tls: undefined, address, listen: address }).pipe(
        Layer.provide(Layer.fresh(pools.cluster))
      )
    ),
    Layer.provideMerge(Membership.layer({ ...node, settings: {} })),
    Layer.provideMerge(Nodes.layer.pipe(Layer.provide(Layer.fresh(pools.nodes)))),
    Layer.provideMerge(Layer.succeed(VenueSettings)({ ...defaults, desks }))
  )
}

if (import.meta.main) {
  const [url, name, port] = process.argv.slice(2) as [string, string, string]
  NodeRuntime.runMain(Effect.asVoid(Layer.launch(layer(Redacted.make(url), name, Number(port)))))
}
