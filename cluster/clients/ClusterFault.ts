/** What any call to an entity may meet: a deadline means unknown, and so does whatever the cluster itself answers. */
import { Cause, Effect } from "effect"
import { Unavailable } from "../protocol/Market.ts"

/** A call that has not answered by then is unknown and said again. */
export const deadline = "2 seconds"

/** A deadline means unknown, and so does everything the cluster itself may answer, the end of an entity that moves too. */
export function bounded<A, E>(what: string, call: Effect.Effect<A, E>) {
  return call.pipe(
    Effect.timeout(deadline),
    Effect.mapError((error) => (isClusterFault(error) ? new Unavailable({ what }) : error)),
    Effect.catchCauseIf(Cause.hasInterruptsOnly, () => Effect.fail(new Unavailable({ what })))
  ) as Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
}

export type ClusterFault = { readonly _tag: (typeof faults)[number] }

const faults = [
  "TimeoutError",
  "MailboxFull",
  "AlreadyProcessingMessage",
  "PersistenceError",
  "EntityNotAssignedToRunner"
] as const

function isClusterFault(error: unknown): boolean {
  return faults.some((tag) => (error as { _tag?: unknown } | undefined)?._tag === tag)
}
