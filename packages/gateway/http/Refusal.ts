/** Problem responses, and conversions of cluster errors to problems. */
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

/** `Retry-After` of 1 s, for a venue that is starting, stopping or catching up. */
export const shortly = retryAfter(1_000)

/** Fails with the problem, and sets `Retry-After`. */
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

/** Maps the errors of a read, which changes nothing and is safe to repeat. */
export const unanswered = (problems: Problem.Problems) => ({
  Unavailable: () => Effect.fail(problems.draining()),
  RateLimited: (limited: RateLimited) => rateExceeded(problems, limited)
})

/** Maps the errors of a change, whose outcome is unknown if no response arrives. */
export const unconfirmed = (problems: Problem.Problems) => ({
  ...unanswered(problems),
  Unavailable: () => Effect.fail(problems.deadlinePassed())
})

/** Charges a bucket; fails with 429 if it is empty. */
export const spend = (problems: Problem.Problems, limits: RateLimits, caller: string, weight: number) =>
  Effect.suspend(() => unlessExceeded(problems, limits.charge(caller, weight)))

/** Charges the sender's address for weight beyond the endpoint's own weight. */
export type ChargeMore = (
  weight: number
) => Effect.Effect<void, Problem.TooManyRequests, HttpServerRequest.HttpServerRequest>

/** Fails with 429 if the charge requires a wait. After several charges, the quota headers describe the last one. */
export const unlessExceeded = (problems: Problem.Problems, { quota, waitMillis }: Charge) =>
  Effect.andThen(
    RequestNotes.note({ quota }),
    waitMillis === 0 ? Effect.void : rateExceeded(problems, { retryAfterMillis: waitMillis }, quota?.capacity)
  )
