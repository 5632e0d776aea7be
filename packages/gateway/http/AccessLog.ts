/** A line of the log for each request: by which route it was asked, never its address, headers or body. */
import { Clock, Effect, References } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { RequestNotes } from "./RequestNotes.ts"

type Answer<E, R> = Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Written once the head of the answer stands, however little else the node logs. */
export const told = <E, R>(
  self: Answer<E, R>,
  { method }: HttpServerRequest.HttpServerRequest,
  /** Its pattern; undefined where nothing is served. */
  route: string | undefined,
  notes: RequestNotes
): Answer<E, R> =>
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
