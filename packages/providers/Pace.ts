/**
 * Rate limiter for one server that refuses requests above a rate. A refused request is retried after a growing pause;
 * other requests wait, and are then sent one at a time. While a server demands a pause of more than 1 s, requests
 * fail without being sent.
 */
import { Clock, Effect, Result, Semaphore } from "effect"

export interface Pace<E> {
  readonly run: <A>(request: Effect.Effect<A, E>) => Effect.Effect<A, E>
}

export interface PaceOptions<E> {
  /**
   * For a rate refusal, returns the pause that the server requests, in milliseconds (0 if it states no pause). For
   * any other failure, returns undefined.
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
    // Counts several concurrent refusals as one.
    if (now < freeAtMillis) return
    pauseMillis = Math.min(longestWaitMillis, Math.max(firstPauseMillis, pauseMillis * 2))
    freeAtMillis = now + Math.max(pauseMillis, Math.min(retryAfterMillis, longestPauseMillis))
  }

  /** Returns undefined after a rate refusal that can be retried. */
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

/** The pauses between these attempts total 1.75 s. */
const mostAttempts = 4
const firstPauseMillis = 250
/** Upper bound for the pause that a server requests. */
const longestPauseMillis = 60_000
/** Longest pause for which a request waits; a longer pause fails the request immediately. */
const longestWaitMillis = 1_000
/** Time after a refusal during which requests are sent one at a time. */
const slowMillis = 60_000
