/** A request whose body read continues when its reader is interrupted: the library would close the connection. */
import { Effect, Fiber } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Returns the request with readers that may be interrupted and leave the connection open for an answer. */
export const of = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    arrayBuffer: { get: () => detached(request.arrayBuffer) },
    text: { get: () => detached(request.text) }
  }) as HttpServerRequest.HttpServerRequest

const detached = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(body), Fiber.join)
