/** Faults in calls between nodes. After any of these faults, the outcome of the call is unknown. */
import { Cause, Clock, Context, Effect } from "effect"
import { Unavailable } from "../protocol/Market.ts"

/** Deadline for one call between nodes. After the deadline, the outcome is unknown and the caller can retry. */
export const deadline = "2 seconds"

/**
 * Fails with `Unavailable` if a call times out, the cluster library fails, or the entity stops because it is moving
 * to another node. Also fails with `Unavailable` if a message or response cannot be decoded, which happens while
 * nodes run different releases.
 */
export function bounded<A, E>(what: string, call: Effect.Effect<A, E>) {
  return call.pipe(
    Effect.timeout(deadline),
    Effect.mapError((error) => (isClusterFault(error) ? new Unavailable({ what }) : error)),
    Effect.catchCauseIf(
      (cause) => Cause.hasInterruptsOnly(cause) || isUndecodable(cause),
      (cause) =>
        Effect.andThen(
          isUndecodable(cause) ? logUndecodable(what, cause) : Effect.void,
          Effect.fail(new Unavailable({ what }))
        )
    )
  ) as Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
}

/** Cluster library error that `bounded` converts to `Unavailable`. */
export type ClusterFault = { readonly _tag: (typeof faults)[number] }

const faults = [
  "TimeoutError",
  "MailboxFull",
  "AlreadyProcessingMessage",
  "PersistenceError",
  "EntityNotAssignedToRunner",
  "RpcClientError"
] as const

function isClusterFault(error: unknown): boolean {
  return faults.some((tag) => (error as { _tag?: unknown } | undefined)?._tag === tag)
}

/** Whether a message could not be decoded. A defect from another node arrives as an error with a name and no tag. */
function isUndecodable(cause: Cause.Cause<unknown>): boolean {
  return cause.reasons.some((reason) => {
    if (!Cause.isDieReason(reason)) return false
    const { _tag, name } = (reason.defect ?? {}) as { readonly _tag?: unknown; readonly name?: unknown }
    return _tag === "MalformedMessage" || _tag === "SchemaError" || name === malformedName
  })
}

const malformedName = "~effect/cluster/ClusterError/MalformedMessage"

/** Logs at most once per `reportMillis`, because the caller retries many times a second. */
const logUndecodable = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const last = yield* LastReport
    const nowMillis = yield* Clock.currentTimeMillis
    if (Math.abs(nowMillis - last.atMillis) < reportMillis) return
    last.atMillis = nowMillis
    yield* Effect.logError(
      `this node and ${what} cannot decode each other's messages; the outcome of the call is unknown`,
      cause
    )
  })

/** Time of the last undecodable-message report, shared by the whole process. */
export const LastReport = Context.Reference<{ atMillis: number }>("@venue/cluster/clients/ClusterFault/LastReport", {
  defaultValue: () => ({ atMillis: -Infinity })
})

const reportMillis = 10_000
