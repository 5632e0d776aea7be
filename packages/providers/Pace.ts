/**
 * Rate limiter for one server that refuses requests above a rate. A refused request is retried after a growing pause.
 * Other requests wait meanwhile and are then sent one at a time. A server that asks for a long pause receives no
 * requests until the pause is over.
 */
import { Clock, Effect, Result, Semaphore } from "effect"

export interface Pace<E> {
  readonly run: <A>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export interface PaceOptions<E> {
  /**
   * Returns the pause that the server requests, in milliseconds (0 if the server states none), if the failure is a
   * rate refusal. Otherwise returns undefined.
   */
  readonly rateOf: (error: E) => { readonly retryAfterMillis: number } | undefined
}

export const make = <E>({ rateOf }: PaceOptions<E>): Pace<E> => {
  const turn = Semaphore.makeUnsafe(1)
  let pauseMillis = 0
  let freeAtMillis = 0
  let slowUntilMillis = 0
  let last: E | undefined
  /**
   * Set after all attempts at a request have failed. Until a request succeeds, each further request is attempted only
   * once.
   */
  let isExhausted = false

  const refused = (now: number, error: E, retryAfterMillis: number) => {
    last = error
    slowUntilMillis = now + slowMillis
    // Several concurrent requests count as one refusal.
    if (now < freeAtMillis) return
    pauseMillis = Math.min(longestWaitMillis, Math.max(firstPauseMillis, pauseMillis * 2))
    freeAtMillis = now + Math.max(pauseMillis, Math.min(retryAfterMillis, longestPauseMillis))
  }

  /** Returns undefined after a rate refusal that may be retried. */
  const attempt = Effect.fnUntraced(function* <A>(request: Effect.Effect<A, E>, isLast: boolean) {
    const waitMillis = freeAtMillis - (yield* Clock.currentTimeMillis)
    if (waitMillis > longestWaitMillis && last !== undefined) return Result.fail(last)
    if (waitMillis > 0) yield* Effect.sleep(waitMillis)
    const result = yield* Effect.result(request)
    const rate = Result.isFailure(result) ? rateOf(result.failure) : undefined
    if (Result.isSuccess(result) || rate === undefined) {
      pauseMillis = 0
      isExhausted = false
      return result
    }
    refused(yield* Clock.currentTimeMillis, result.failure, rate.retryAfterMillis)
    if (!isLast && !isExhausted) return undefined
    isExhausted = true
    return result
  })

  /** Sends retries one request at a time. */
  const inTurn = <A>(request: Effect.Effect<A, E>, first: number): Effect.Effect<A, E> =>
    turn.withPermits(1)(
      Effect.gen(function* () {
        for (let count = first; ; count++) {
          const result = yield* attempt(request, count >= mostAttempts)
          if (result !== undefined) return yield* Effect.fromResult(result)
        }
      })
    )

  return {
    run: <A>(request: Effect.Effect<A, E>) =>
      Effect.gen(function* (): Effect.fn.Return<A, E> {
        if ((yield* Clock.currentTimeMillis) < slowUntilMillis) return yield* inTurn(request, 1)
        const result = yield* attempt(request, false)
        return yield* result === undefined ? inTurn(request, 2) : Effect.fromResult(result)
      })
  }
}

/** A request waits for 1.75 s in total before it fails. */
const mostAttempts = 4
const firstPauseMillis = 250
/** Longest pause that a server may request. */
const longestPauseMillis = 60_000
/** A longer requested pause fails the request at once. */
const longestWaitMillis = 1_000
/** Requests are serialised for this long after a refusal. */
const slowMillis = 60_000
