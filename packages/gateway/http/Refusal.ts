/** Refusals outside what an endpoint declares: problem+json answers of their own. */
import * as Problem from "@venue/api/Problem"
import type { Page } from "@venue/api/ProblemPages"
import type { RateLimited } from "@venue/cluster/protocol/Desk"
import type { Charge, RateLimits } from "@venue/domain/RateLimits"
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { contentType } from "effect/http/ProblemDetails"
import * as RequestNotes from "./RequestNotes.ts"

export const refusal = (
  baseUrl: string,
  status: Problem.Status,
  page: Page,
  headers: Readonly<Record<string, string>> = {},
  occurrence: Problem.Occurrence = {}
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(Problem.body(baseUrl, status, page, occurrence), { status, contentType, headers })

export const retryAfter = (waitMillis: number) => ({
  "retry-after": String(Math.max(1, Math.ceil(waitMillis / 1_000)))
})

/** What starts, stops or catches up may be asked again soon. */
export const shortly = retryAfter(1_000)

/** Says how long to wait, too. */
export const notBefore = <E>(waitMillis: number, problem: E) =>
  Effect.andThen(
    HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(HttpServerResponse.setHeaders(response, retryAfter(waitMillis)))
    ),
    Effect.fail(problem)
  )

export const rateExceeded = (
  problems: Problem.Problems,
  { retryAfterMillis }: Pick<RateLimited, "retryAfterMillis">,
  capacity?: number
) => notBefore(retryAfterMillis, problems.rateExceeded(retryAfterMillis, capacity))

/** What a read meets in place of an answer: nothing was changed by it, and it may be asked again. */
export const unanswered = (problems: Problem.Problems) => ({
  Unavailable: () => Effect.fail(problems.draining()),
  RateLimited: (limited: RateLimited) => rateExceeded(problems, limited)
})

/** The same of a change that was asked for: it may have been done where no answer came. */
export const unconfirmed = (problems: Problem.Problems) => ({
  ...unanswered(problems),
  Unavailable: () => Effect.fail(problems.deadlinePassed())
})

/** Takes it from the caller's bucket, or says how long to wait for it. */
export const spend = (problems: Problem.Problems, limits: RateLimits, caller: string, weight: number) =>
  Effect.suspend(() => unlessExceeded(problems, limits.charge(caller, weight)))

/** Takes what a request weighs beyond its endpoint from the address that sent it. */
export type ChargeMore = (
  weight: number
) => Effect.Effect<void, Problem.TooManyRequests, HttpServerRequest.HttpServerRequest>

/** Goes on when there is nothing to wait for. Where several buckets are asked, the answer tells of the last. */
export const unlessExceeded = (problems: Problem.Problems, { quota, waitMillis }: Charge) =>
  Effect.andThen(
    RequestNotes.note({ quota }),
    waitMillis === 0 ? Effect.void : rateExceeded(problems, { retryAfterMillis: waitMillis }, quota?.capacity)
  )
