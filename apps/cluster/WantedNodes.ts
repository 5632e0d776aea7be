/** Operators' requests to drain or restart nodes, read from the node table. Each request is applied once. */
import { type Node, Nodes } from "@venue/storage/nodes/Nodes"
import { Effect } from "effect"
import type { NodeLives } from "./NodeLives.ts"

/** Returns an effect that applies new requests. Ignores requests to an earlier cluster's processes. */
export const make = Effect.fnUntraced(function* (lives: NodeLives) {
  const nodes = yield* Nodes
  const seen = new Map<string, string>()
  const isNews = ({ name, nodeId, wanted }: Node): boolean => {
    const state = `${nodeId} ${wanted}`
    if (!lives.has(name) || seen.get(name) === state) return false
    seen.set(name, state)
    return true
  }
  const news = Effect.map(nodes.all, (rows) => rows.filter(isNews)).pipe(
    Effect.timeout("1 second"),
    // The nodes themselves log that the database is unavailable.
    Effect.orElseSucceed((): ReadonlyArray<Node> => [])
  )
  yield* news
  return Effect.map(news, (rows) => {
    for (const { name, wanted } of rows) lives.apply(name, { _tag: "Wanted", wanted })
  })
})
