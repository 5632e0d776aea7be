/** Access log with one line per request. A line contains the route, but never the URL, headers or body. */
import { Clock, Effect, References } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { RequestNotes } from "./RequestNotes.ts"

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/**
 * Logs a request as soon as the response head is complete, regardless of the minimum log level. Health probes are not
 * logged.
 */
export const logged = <E, R>(
  self: Answer<E, R>,
  { method }: HttpServerRequest.HttpServerRequest,
  /** Route pattern, or undefined for an unknown path. */
  route: string | undefined,
  notes: RequestNotes
): Answer<E, R> => (route !== undefined && probes.has(route) ? self : timed(self, method, route, notes))

const probes: ReadonlySet<string> = new Set(["/health/live", "/health/ready"])

const timed = <E, R>(self: Answer<E, R>, method: string, route: string | undefined, notes: RequestNotes) =>
  Effect.gen(function* () {
    const beganAtMillis = yield* Clock.currentTimeMillis
    const answer = yield* self
    const line = {
      method,
      ...(route === undefined ? undefined : { route }),
      status: answer.status,
      millis: (yield* Clock.currentTimeMillis) - beganAtMillis,
      ...(notes.userId === undefined ? undefined : { userId: notes.userId }),
      requestId: notes.id
    }
    yield* Effect.logInfo("request").pipe(
      Effect.annotateLogs(line),
      Effect.provideService(References.MinimumLogLevel, "Info")
    )
    return answer
  })
