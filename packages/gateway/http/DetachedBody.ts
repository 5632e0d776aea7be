/** A request whose body read survives an interruption; otherwise the library would close the connection. */
import { Effect, Fiber } from "effect"
import type { HttpServerRequest } from "effect/http"

/** Returns the request with interruptible body readers, which leave the connection open for a response. */
export const of = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    arrayBuffer: { get: () => detached(request.arrayBuffer) },
    text: { get: () => detached(request.text) }
  }) as HttpServerRequest.HttpServerRequest

const detached = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(body), Fiber.join)
