/** Handlers of `GET /health/live` and `/health/ready`. */
import { schemaUri } from "@venue/api/Problem"
import { SimulatedRails } from "@venue/providers/rails/SimulatedRails"
import { Effect } from "effect"
import { release } from "@venue/api/Release"
import { ApiBaseUrl, apiProblems } from "./ApiBaseUrl.ts"
import { Health } from "./Health.ts"

export const answers = Effect.gen(function* () {
  const baseUrl = yield* ApiBaseUrl
  const refusals = yield* apiProblems
  const health = yield* Health
  const simulated = [...(yield* SimulatedRails).keys()]
  const body = {
    $schema: schemaUri(baseUrl, "Health"),
    release,
    ...(simulated.length === 0 ? {} : { simulated_rails: simulated })
  }
  return {
    live: () => Effect.succeed({ ...body, status: "live" as const }),
    ready: () =>
      Effect.suspend(() => {
        const detail = health.reason()
        return detail === undefined
          ? Effect.succeed({ ...body, status: "ready" as const })
          : Effect.fail(refusals.notReady(detail))
      })
  }
})
