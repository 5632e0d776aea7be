/** Groups of endpoints that hold what they need. */
import { Context, Effect, Layer, Scope } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"

/**
 * As `HttpApiBuilder.group`, whose routes put all services that surrounded their making around each request: with a whole
 * venue around them that is most of what an answer takes. Here handlers have what they took when they were made, and
 * what the middleware of their endpoint gives them.
 */
export const group: typeof HttpApiBuilder.group = (api, identifier, build) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const around = yield* Effect.context<never>()
      const { endpoints } = api.groups[identifier] as HttpApiGroup.Top
      const middlewares = Object.values(endpoints).flatMap((endpoint) => [...endpoint.middlewares])
      const kept = new Set([Scope.Scope, Layer.CurrentMemoMap, ...middlewares].map(({ key }) => key))
      const few = new Map([...around.mapUnsafe].filter(([key]) => kept.has(key)))
      const making: typeof build = (handlers) => {
        const made: unknown = build(handlers)
        return (Effect.isEffect(made) ? Effect.provideContext(made, around) : made) as ReturnType<typeof build>
      }
      return yield* Effect.updateContext(Layer.build(HttpApiBuilder.group(api, identifier, making)), () =>
        Context.makeUnsafe(few)
      )
    })
  ) as never
