/** Health checks of a cluster process, about twice a second. */
import { Duration, Effect, Option } from "effect"
import { HttpClient } from "effect/http"
import type { PlannedNode } from "./ClusterPlan.ts"
import type { NodeLives } from "./NodeLives.ts"

const checkEvery = "500 millis"
const answerWithin = "1 second"

/** Repeats the check forever. Calls `kill` once if the process must be killed. */
export const watch = ({ healthUrl, name }: PlannedNode, lives: NodeLives, kill: () => void) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const check = lives.phaseOf(name) === "Starting" ? "ready" : "live"
    const [taken, status] = yield* http.get(`${healthUrl}/health/${check}`).pipe(
      Effect.map(({ status }) => status),
      Effect.timeout(answerWithin),
      Effect.option,
      Effect.delay(checkEvery),
      Effect.timed
    )
    const action = lives.apply(
      name,
      Option.isSome(status)
        ? { _tag: "Answered", isReady: status.value === 200 }
        : { _tag: "Unanswered", millis: Duration.toMillis(taken) }
    )
    if (action === "Kill") kill()
  }).pipe(Effect.forever)
