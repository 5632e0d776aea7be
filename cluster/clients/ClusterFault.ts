/** What any call to an entity may meet: a deadline means unknown, and so does whatever the cluster itself answers. */
import { Cause, Clock, Context, Effect } from "effect"
import { Unavailable } from "../protocol/Market.ts"

/** A call that has not answered by then is unknown and said again. */
export const deadline = "2 seconds"

/**
 * A deadline means unknown, and so does everything the cluster itself may answer, the end of an entity that moves too. A
 * message that the other node cannot read, or an answer that this one cannot, may come of a release beside another one.
 */
export function bounded<A, E>(what: string, call: Effect.Effect<A, E>) {
  return call.pipe(
    Effect.timeout(deadline),
    Effect.mapError((error) => (isClusterFault(error) ? new Unavailable({ what }) : error)),
    Effect.catchCauseIf(
      (cause) => Cause.hasInterruptsOnly(cause) || isUnread(cause),
      (cause) =>
        Effect.andThen(isUnread(cause) ? tellUnread(what, cause) : Effect.void, Effect.fail(new Unavailable({ what })))
    )
  ) as Effect.Effect<A, Exclude<E, ClusterFault> | Unavailable>
}

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

/** A defect of the cluster's own; from another node it comes as an error that has no more than its name. */
function isUnread(cause: Cause.Cause<unknown>): boolean {
  return cause.reasons.some((reason) => {
    if (!Cause.isDieReason(reason)) return false
    const { _tag, name } = (reason.defect ?? {}) as { readonly _tag?: unknown; readonly name?: unknown }
    return _tag === "MalformedMessage" || _tag === "SchemaError" || name === malformedName
  })
}

const malformedName = "~effect/cluster/ClusterError/MalformedMessage"

/** Who is not understood asks again and again. */
const tellUnread = (what: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const last = yield* LastTold
    const nowMillis = yield* Clock.currentTimeMillis
    if (Math.abs(nowMillis - last.atMillis) < silenceMillis) return
    last.atMillis = nowMillis
    yield* Effect.logError(`${what} and this node do not read each other: what was asked of it is unknown`, cause)
  })

/** A process has one. */
export const LastTold = Context.Reference<{ atMillis: number }>("@venue/cluster/clients/ClusterFault/LastTold", {
  defaultValue: () => ({ atMillis: -Infinity })
})

const silenceMillis = 10_000
