/** What the operator wants of the nodes, as the table of nodes has it: only news is acted on. */
import { type Node, Nodes } from "@venue/storage/nodes/Nodes"
import { Effect } from "effect"
import type { NodeLives } from "./NodeLives.ts"

/** What was wanted of the processes of an earlier cluster is not wanted of these. The effect looks once. */
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
    // The nodes themselves say that the database is away.
    Effect.orElseSucceed((): ReadonlyArray<Node> => [])
  )
  yield* news
  return Effect.map(news, (rows) => {
    for (const { name, wanted } of rows) lives.tell(name, { _tag: "Wanted", wanted })
  })
})
