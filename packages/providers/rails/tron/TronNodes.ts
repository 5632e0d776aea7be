/** All nodes that the venue asks. What is read once is read of the first that answers; what money follows, of all. */
import { Clock, Effect, Result } from "effect"
import { RailUnavailable } from "../RailProvider.ts"
import { type TronNode, unavailable } from "./TronNode.ts"

export interface TronNodes {
  /** Of the first node that can tell, in the order of the settings. */
  readonly first: <A, E>(ask: (node: TronNode) => Effect.Effect<A, E>) => Effect.Effect<A, E | RailUnavailable>
  /** Of all nodes that answer; at least one does. */
  readonly answering: <A>(
    ask: (node: TronNode) => Effect.Effect<A, RailUnavailable>
  ) => Effect.Effect<ReadonlyArray<A>, RailUnavailable>
  /** Of all nodes: one that is silent leaves the question open. */
  readonly all: <A>(
    ask: (node: TronNode) => Effect.Effect<A, RailUnavailable>
  ) => Effect.Effect<ReadonlyArray<A>, RailUnavailable>
}

export interface TronNodesOptions {
  readonly nodes: ReadonlyArray<TronNode>
  /** The id of the first block: a node of another chain is not asked anything else. */
  readonly genesisId: string
}

export const make = ({ genesisId, nodes }: TronNodesOptions): TronNodes => {
  const known = new Set<TronNode>()
  const ofChain = Effect.fnUntraced(function* (node: TronNode) {
    if (known.has(node)) return node
    const { id } = yield* node.block(0)
    if (id !== genesisId) return yield* unavailable("a node is of another chain than the settings")
    known.add(node)
    return node
  })
  /** Where no node is known, nothing is. */
  const asking = <A, E>(
    ask: (node: TronNode) => Effect.Effect<A, E>
  ): ReadonlyArray<Effect.Effect<A, E | RailUnavailable>> =>
    nodes.length === 0
      ? [Effect.fail(unavailable("this process knows no node"))]
      : nodes.map((node) => Effect.flatMap(ofChain(node), ask))

  return {
    first: (ask) => {
      const [first = Effect.fail(unavailable("there is no node")), ...others] = asking(ask)
      return others.reduce((one, next) => Effect.catch(one, (error) => retried(error, next)), first)
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

/** A node whose newest block is not of now has lost the others, and knows nothing of what has come since. */
export const headOf = Effect.fnUntraced(function* (node: TronNode) {
  const head = yield* node.head
  const now = yield* Clock.currentTimeMillis
  if (Math.abs(now - head.timestampMillis) > mostOffMillis)
    return yield* unavailable("the newest block of a node is more than two minutes off our clock")
  return head
})

const mostOffMillis = 2 * 60_000

/** Another node can help where one was not to be reached, and nowhere else. */
const retried = <A, E>(error: E, next: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  error instanceof RailUnavailable ? next : Effect.fail(error)
