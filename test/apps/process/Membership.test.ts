/** Tests of a node's membership while its database fails. */
import { Nodes } from "@venue/storage/nodes/Nodes"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Membership } from "../../../apps/process/Membership.ts"

const node = { nodeId: "1", name: "runner-1", kind: "runner", address: "", release: "", settings: {} } as const

it.effect("continues to send heartbeats for the node after one heartbeat hangs and cannot be cancelled", () => {
  let renewals = 0
  const hanging = Effect.map(Nodes, (nodes) =>
    Nodes.of({
      ...nodes,
      renew: (nodeId, state) =>
        Effect.suspend(() => (++renewals === 1 ? Effect.uninterruptible(Effect.never) : nodes.renew(nodeId, state)))
    })
  )
  const membership = Membership.layer(node).pipe(
    Layer.provide(Layer.effect(Nodes, hanging).pipe(Layer.provide(Nodes.layerMemory)))
  )
  return Effect.gen(function* () {
    const { isConnected } = yield* Membership
    assert.isFalse(isConnected())
    yield* TestClock.adjust("4 seconds")
    assert.isTrue(isConnected())
  }).pipe(Effect.provide(membership))
})
