/**
 * A request whose body is read to its end even if the reader is interrupted. Otherwise, the library would close the
 * connection.
 */
import { Effect, Fiber } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * Returns the request with body readers that can be interrupted without closing the connection, so that a response
 * can still be sent.
 */
export const of = (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest =>
  Object.create(request, {
    arrayBuffer: { get: () => detached(request.arrayBuffer) },
    text: { get: () => detached(request.text) }
  }) as HttpServerRequest.HttpServerRequest

const detached = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(body), Fiber.join)
