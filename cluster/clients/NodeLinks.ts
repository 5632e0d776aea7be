/** Direct connections to other nodes, in addition to the cluster library's connections. */
import { Context, Effect, RcMap, type Scope } from "effect"
import { RunnerAddress, Runners } from "effect/cluster"
import * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import type { RpcGroup } from "effect/rpc"
import { NodeCalls } from "../protocol/Node.ts"

export type NodeLink = RpcClient.RpcClient<RpcGroup.Rpcs<typeof NodeCalls>, RpcClientError>

export interface NodeLinks {
  /** Address that other nodes connect to, as `host:port`, or undefined for a node without entities. */
  readonly self: string | undefined
  /** Returns the shared connection to a node. The connection closes with the last scope that uses it. */
  readonly to: (address: string) => Effect.Effect<NodeLink, never, Scope.Scope>
}

/**
 * Direct connections, or undefined in a process without other nodes, where every call goes through the cluster
 * library.
 */
export const NodeLinks = Context.Reference<NodeLinks | undefined>("@venue/cluster/clients/NodeLinks", {
  defaultValue: () => undefined
})

/** Creates the direct connections of the node with the address `self`. Addresses have the form `host:port`. */
export const make = Effect.fnUntraced(function* (self: string | undefined) {
  const protocol = yield* Runners.RpcClientProtocol
  const links = yield* RcMap.make({
    lookup: (address: string) => {
      const colon = address.lastIndexOf(":")
      const place = RunnerAddress.make(address.slice(0, colon), Number(address.slice(colon + 1)))
      return Effect.flatMap(protocol.make(place), (made) =>
        Effect.provideService(RpcClient.make(NodeCalls, { disableTracing: true }), RpcClient.Protocol, made)
      )
    }
  })
  return { self, to: (address: string) => RcMap.get(links, address) } satisfies NodeLinks
})
