/** Alarms for lost nodes, and for conditions that nodes report about themselves. */
import { instant } from "@venue/api/Digits"
import { type NodeCondition, NodeReports } from "@venue/storage/alarms/NodeReports"
import { type LostNode, LostNodes } from "@venue/storage/nodes/LostNodes"
import { Context, Effect } from "effect"
import { type Condition, type Reading, reading } from "./AlarmSource.ts"

/** This process: its name among the nodes, and the conditions of its machine and files. */
export const OwnNode = Context.Reference<{
  readonly name: string
  readonly kind: "runner" | "gateway"
  readonly conditions: Effect.Effect<ReadonlyArray<NodeCondition>>
}>("@venue/gateway/alarms/OwnNode", {
  defaultValue: () => ({ name: "venue", kind: "gateway", conditions: Effect.succeed([]) })
})

export const makeLost = Effect.map(LostNodes, ({ list }) =>
  Effect.map(list, (nodes) => [reading("nodes", nodes.map(lost))])
)

/** This process reports without the database; the others have stored their reports. */
export const makeOwn = Effect.map(OwnNode, ({ conditions, name }) =>
  Effect.map(conditions, (own): ReadonlyArray<Reading> => [
    reading(
      sourceOf(name),
      own.map((condition) => conditionOf(name, condition))
    )
  ])
)

export const makeOthers = Effect.gen(function* () {
  const { name: own } = yield* OwnNode
  const { recent } = yield* NodeReports
  return Effect.map(recent, (reports) =>
    reports
      .filter(({ name }) => name !== own)
      .map(({ conditions, name }) =>
        reading(
          sourceOf(name),
          conditions.map((condition) => conditionOf(name, condition))
        )
      )
  )
})

const sourceOf = (name: string): string => `node/${name}`

const lost = ({ kind, lastSeenAtMillis, name }: LostNode): Condition => ({
  kind: "NODE_LOST",
  symbol: null,
  since: instant(lastSeenAtMillis),
  node: name,
  reason: `The ${kind} ${name} has been silent since ${instant(lastSeenAtMillis)} and was not drained.`
})

const conditionOf = (node: string, { kind, path, reason, sinceMillis }: NodeCondition): Condition => ({
  kind,
  symbol: null,
  since: sinceMillis === null ? null : instant(sinceMillis),
  node,
  path,
  reason
})
