/** Gate refusals in the problem+json format. */
import * as InvalidRequest from "@venue/api/InvalidRequest"
import * as Problem from "@venue/api/Problem"
import { Effect, Layer } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import { contentType } from "effect/http/ProblemDetails"
import { apiProblems } from "./ApiBaseUrl.ts"
import type { RefusalReason, Refusals } from "./Gate.ts"
import { refusal } from "./Refusal.ts"
import { fresh, uriOf } from "./RequestId.ts"

export const problemRefusals = (baseUrl: string): Refusals => ({
  refuse: (reason, headers, detail) =>
    refusal(baseUrl, statuses[reason], reason, headers, detail === undefined ? {} : { detail }),
  unexpected: (cause) => Effect.as(Effect.logError("a request failed", cause), refusal(baseUrl, 500, "unexpected")),
  identified: (answer, requestId) => {
    const { body } = answer
    if (body._tag !== "Uint8Array" || body.contentType !== contentType) return answer
    const problem = { ...JSON.parse(new TextDecoder().decode(body.body)), instance: uriOf(requestId) }
    return HttpServerResponse.setBody(answer, HttpBody.jsonUnsafe(problem, contentType))
  },
  unparsable: (fault) => ({
    contentType,
    body: {
      $schema: Problem.schemaUri(baseUrl, "ErrorModel"),
      type: "about:blank",
      ...fault,
      instance: uriOf(fresh())
    }
  })
})

/** Returns 422 with a problem of this API for a request that does not match its schema. */
export const invalidRequest = Layer.unwrap(Effect.map(apiProblems, InvalidRequest.layer))

const statuses: Readonly<Record<RefusalReason, Problem.Status>> = {
  "no-such-path": 404,
  "method-not-allowed": 405,
  "body-too-large": 413,
  "body-not-json": 415,
  "invalid-request": 400,
  "deadline-passed": 504
}
