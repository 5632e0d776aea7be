/**
 * All configured nodes. Ordinary reads use the first node that responds. Reads that decide about money use all nodes.
 */
import { Clock, Effect, Result } from "effect"
import { RailUnavailable } from "../RailProvider.ts"
import type { RailSight } from "../RailSight.ts"
import { type TronNode, unavailable } from "./TronNode.ts"

export interface TronNodes {
  /** Returns the result of the first node that responds, in the order of the settings. */
  readonly first: <A, E>(ask: (node: TronNode) => Effect.Effect<A, E>) => Effect.Effect<A, E | RailUnavailable>
  /** Returns the results from all responding nodes, at least one. */
  readonly answering: <A>(
    ask: (node: TronNode) => Effect.Effect<A, RailUnavailable>
  ) => Effect.Effect<ReadonlyArray<A>, RailUnavailable>
  /** Returns the results from all nodes. Fails if any node does not respond. */
  readonly all: <A>(
    ask: (node: TronNode) => Effect.Effect<A, RailUnavailable>
  ) => Effect.Effect<ReadonlyArray<A>, RailUnavailable>
  /** Returns the number of nodes by the result of their last request. */
  readonly sight: () => Pick<RailSight, "answering" | "failing">
}

export interface TronNodesOptions {
  readonly nodes: ReadonlyArray<TronNode>
  /** Id of the first block; nodes of another chain are not used. */
  readonly genesisId: string
}

export const make = ({ genesisId, nodes }: TronNodesOptions): TronNodes => {
  const known = new Set<TronNode>()
  const failing = new Set<TronNode>()
  const ofChain = Effect.fnUntraced(function* (node: TronNode) {
    if (known.has(node)) return node
    const { id } = yield* node.block(0)
    if (id !== genesisId) return yield* unavailable("a node is not on the configured chain")
    known.add(node)
    return node
  })
  /** Fails if no node responds. */
  const asking = <A, E>(
    ask: (node: TronNode) => Effect.Effect<A, E>
  ): ReadonlyArray<Effect.Effect<A, E | RailUnavailable>> =>
    nodes.length === 0
      ? [Effect.fail(unavailable("this process has no node configured"))]
      : nodes.map((node) =>
          Effect.flatMap(ofChain(node), ask).pipe(
            Effect.tap(() => Effect.sync(() => failing.delete(node))),
            Effect.tapError((error) =>
              error instanceof RailUnavailable ? Effect.sync(() => failing.add(node)) : Effect.void
            )
          )
        )

  return {
    sight: () => ({ answering: nodes.length - failing.size, failing: failing.size }),
    first: (ask) => {
      const [first = Effect.fail(unavailable("no node is configured")), ...others] = asking(ask)
      return others.reduce((previous, next) => Effect.catch(previous, (error) => retried(error, next)), first)
    },
    answering: Effect.fnUntraced(function* (ask) {
      const answers = yield* Effect.forEach(asking(ask), Effect.result, { concurrency: "unbounded" })
      const known = answers.filter(Result.isSuccess).map(({ success }) => success)
      if (known.length > 0) return known
      return yield* answers.filter(Result.isFailure)[0]!.failure
    }),
    all: (ask) => Effect.all(asking(ask), { concurrency: "unbounded" })
  }
}

/** A node whose newest block is old is out of sync and cannot be trusted about recent events. */
export const headOf = Effect.fnUntraced(function* (node: TronNode) {
  const head = yield* node.head
  const now = yield* Clock.currentTimeMillis
  if (Math.abs(now - head.timestampMillis) > mostOffMillis)
    return yield* unavailable(
      "the time of a node's newest block differs from this machine's clock by more than two minutes"
    )
  return head
})

const mostOffMillis = 2 * 60_000

/** The next node is tried only if this node was unavailable. */
const retried = <A, E>(error: E, next: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  error instanceof RailUnavailable ? next : Effect.fail(error)
