/** Direct connections to other nodes, in addition to the cluster library's connections. */
import { Context, Effect, RcMap, type Scope } from "effect"
import { RunnerAddress, Runners } from "effect/cluster"
import * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import type { RpcGroup } from "effect/rpc"
import { NodeCalls } from "../protocol/Node.ts"

export type NodeLink = RpcClient.RpcClient<RpcGroup.Rpcs<typeof NodeCalls>, RpcClientError>

export interface NodeLinks {
  /** Address (`host:port`) to which other nodes connect, or undefined for a node without entities. */
  readonly self: string | undefined
  /** Returns the shared connection to a node, which closes with the last scope that uses it. */
  readonly to: (address: string) => Effect.Effect<NodeLink, never, Scope.Scope>
}

/** Direct connections; undefined in a process without other nodes, where the cluster library makes every call. */
export const NodeLinks = Context.Reference<NodeLinks | undefined>("@venue/cluster/clients/NodeLinks", {
  defaultValue: () => undefined
})

/** Creates this node's direct connections. Its own address `self` has the form `host:port`. */
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
