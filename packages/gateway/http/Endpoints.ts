/** Endpoint groups. A group's handlers use the services that were read when the group was built. */
import { Context, Effect, Layer, Scope } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"

/**
 * Same as `HttpApiBuilder.group`, but with a small context per request. The library provides every construction-time
 * service to each request, which would take most of the response time in a process with all of the venue's services.
 * With this function, a handler has only the services that it read when it was built, and those of its endpoint's
 * middleware.
 */
export const group: typeof HttpApiBuilder.group = (api, identifier, build) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const services = yield* Effect.context<never>()
      const { endpoints } = api.groups[identifier] as HttpApiGroup.Top
      const middlewares = Object.values(endpoints).flatMap((endpoint) => [...endpoint.middlewares])
      const kept = new Set([Scope.Scope, Layer.CurrentMemoMap, ...middlewares].map(({ key }) => key))
      const few = new Map([...services.mapUnsafe].filter(([key]) => kept.has(key)))
      const making: typeof build = (handlers) => {
        const made: unknown = build(handlers)
        return (Effect.isEffect(made) ? Effect.provideContext(made, services) : made) as ReturnType<typeof build>
      }
      return yield* Effect.updateContext(Layer.build(HttpApiBuilder.group(api, identifier, making)), () =>
        Context.makeUnsafe(few)
      )
    })
  ) as never
