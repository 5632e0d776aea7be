/** Handlers of `GET /health/live` and `/health/ready`. */
import { schemaUri } from "@venue/api/Problem"
import { Effect } from "effect"
import { release } from "@venue/api/Release"
import { ApiBaseUrl, apiProblems } from "./ApiBaseUrl.ts"
import { Health } from "./Health.ts"

export const answers = Effect.gen(function* () {
  const baseUrl = yield* ApiBaseUrl
  const refusals = yield* apiProblems
  const { reason } = yield* Health
  const $schema = schemaUri(baseUrl, "Health")
  return {
    live: () => Effect.succeed({ $schema, status: "live" as const, release }),
    ready: () =>
      Effect.suspend(() => {
        const detail = reason()
        return detail === undefined
          ? Effect.succeed({ $schema, status: "ready" as const, release })
          : Effect.fail(refusals.notReady(detail))
      })
  }
})
