/** A connection to another node for what is asked of it directly. */
import { Context, Effect, RcMap, type Scope } from "effect"
import { RunnerAddress, Runners } from "effect/cluster"
import * as RpcClient from "effect/rpc/RpcClient"
import type { RpcClientError } from "effect/rpc/RpcClientError"
import type { RpcGroup } from "effect/rpc"
import { NodeCalls } from "../protocol/Node.ts"

export type NodeLink = RpcClient.RpcClient<RpcGroup.Rpcs<typeof NodeCalls>, RpcClientError>

export interface NodeLinks {
  /** Where other nodes dial this one; undefined for one without entities. */
  readonly self: string | undefined
  /** All who ask for the same node share a connection, which ends with the last of their scopes. */
  readonly to: (address: string) => Effect.Effect<NodeLink, never, Scope.Scope>
}

/** Undefined where there is no other node, or none of them is asked directly. */
export const NodeLinks = Context.Reference<NodeLinks | undefined>("@venue/cluster/clients/NodeLinks", {
  defaultValue: () => undefined
})

/** An address is told as `host:port`. */
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
