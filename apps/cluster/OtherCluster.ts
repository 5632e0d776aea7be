/** Another cluster on the same database has nodes of the same names: each would take those of the other for its own. */
import { Nodes } from "@venue/storage/nodes/Nodes"
import { Effect, Schedule, Schema } from "effect"

export class OtherCluster extends Schema.TaggedError<OtherCluster>()("OtherCluster", {
  name: Schema.String,
  address: Schema.String
}) {
  override get message(): string {
    return `another cluster runs on this database: its ${this.name} is at ${this.address}; end it first`
  }
}

/** Nodes that died a moment ago are taken for living still, and soon no more. */
const goneWithin = "7 seconds"

export const ensureNone = Effect.fn("OtherCluster.ensureNone")(function* (names: ReadonlySet<string>) {
  const { all } = yield* Nodes
  const living = Effect.map(all, (nodes) => nodes.find(({ isLiving, name }) => isLiving && names.has(name)))
  const node = yield* living
  if (node === undefined) return
  yield* Effect.repeat(living, { until: (found) => found === undefined, schedule: Schedule.spaced("200 millis") }).pipe(
    Effect.timeoutOrElse({ duration: goneWithin, orElse: () => Effect.fail(new OtherCluster(node)) })
  )
})
