/**
 * Refuses a second cluster on a database, because its nodes would have the same names and would take over each
 * other's work.
 */
import { Nodes } from "@venue/storage/nodes/Nodes"
import { Effect, Schedule, Schema } from "effect"

export class OtherCluster extends Schema.TaggedError<OtherCluster>()("OtherCluster", {
  name: Schema.String,
  address: Schema.String
}) {
  override get message(): string {
    return `another cluster runs on this database: its ${this.name} is at ${this.address}; stop that cluster first`
  }
}

/** Time after which a dead node no longer counts as alive. */
const goneWithin = "7 seconds"

export const ensureNone = Effect.fn("OtherCluster.ensureNone")(function* (names: ReadonlySet<string>) {
  const { all } = yield* Nodes
  const living = Effect.map(all, (nodes) => nodes.find(({ isLiving, name }) => isLiving && names.has(name)))
  const node = yield* living
  if (node === undefined) return
  yield* Effect.repeat(living, { until: (node) => node === undefined, schedule: Schedule.spaced("200 millis") }).pipe(
    Effect.timeoutOrElse({ duration: goneWithin, orElse: () => Effect.fail(new OtherCluster(node)) })
  )
})
