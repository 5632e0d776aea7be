/**
 * Adaptive request size per endpoint. A refused request is halved, down to a single item, and a size that worked is
 * remembered.
 */
import { Clock, Effect, Result } from "effect"
import { isTooMuch, RpcFault } from "./RpcFault.ts"

/** Largest accepted number of items of one kind. */
export interface Limit {
  /** Plural noun of the kind, for the alarm. */
  readonly kind: string
  /** Name of the setting that bounds the number. */
  readonly setting: string
  /** Returns the number of items per request: `most`, or fewer after a refusal. */
  readonly size: (most: number) => Effect.Effect<number>
  readonly learn: (size: number, refusal: RpcFault) => Effect.Effect<void>
}

export const make = (kind: string, setting: string): Limit => {
  let learned = Infinity
  let untilMillis = 0
  return {
    kind,
    setting,
    size: (most) =>
      Effect.map(Clock.currentTimeMillis, (now) => Math.max(1, now < untilMillis ? Math.min(learned, most) : most)),
    learn: Effect.fnUntraced(function* (size, { endpoint, reason }) {
      const now = yield* Clock.currentTimeMillis
      const isNews = size !== learned
      learned = size
      untilMillis = now + rememberedMillis
      if (isNews)
        yield* Effect.logWarning(
          `Arbitrum One: ${endpoint}: ${reason}. The venue sends at most ${size} ${kind} per request for 10 minutes; set ${setting} to ${size} or less`
        )
    })
  }
}

/**
 * Requests `count` items in order; `ask` requests the part that begins at `start`, in groups of `size`. A refused
 * size is halved. The smaller size is remembered only after all items succeeded, so that refusals for other reasons
 * change nothing.
 */
export const inParts = Effect.fnUntraced(function* <A>(
  limit: Limit,
  most: number,
  count: number,
  ask: (start: number, part: number, size: number) => Effect.Effect<ReadonlyArray<A>, RpcFault>,
  groups = 1
): Effect.fn.Return<ReadonlyArray<A>, RpcFault> {
  const answers: Array<ReadonlyArray<A>> = []
  let size = yield* limit.size(most)
  let refusal: RpcFault | undefined
  for (let start = 0; start < count;) {
    const part = Math.min(size * groups, count - start)
    // The last part can be shorter than the accepted size.
    const partSize = Math.min(size, part)
    const result = yield* Effect.result(ask(start, part, partSize))
    if (Result.isSuccess(result)) {
      answers.push(result.success)
      start += part
      continue
    }
    const fault = result.failure
    if (!isTooMuch(fault)) return yield* fault
    if (partSize === 1) return yield* refusal === undefined || limit.kind === "calls" ? fault : alsoForOne(fault, limit)
    if (fault.kind !== "large") refusal = fault
    size = Math.floor(partSize / 2)
  }
  if (refusal !== undefined) yield* limit.learn(size, refusal)
  return answers.flat()
})

const alsoForOne = ({ endpoint, kind, reason }: RpcFault, limit: Limit) =>
  new RpcFault({ endpoint, kind, reason: `${reason}, even with ${limit.setting} at 1` })

/** Time after which the full size is tried again, because the endpoint's operator might have raised the limit. */
export const rememberedMillis = 10 * 60_000
