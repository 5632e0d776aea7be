/** Whether a process of the cluster answers, asked twice a second. */
import { Duration, Effect, Option } from "effect"
import { HttpClient } from "effect/http"
import type { PlannedNode } from "./ClusterPlan.ts"
import type { NodeLives } from "./NodeLives.ts"

const askEvery = "500 millis"
const answerWithin = "1 second"

/** Goes on for ever; one that is to be killed is killed once. */
export const watch = ({ healthUrl, name }: PlannedNode, lives: NodeLives, kill: () => void) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const question = lives.phaseOf(name) === "Starting" ? "ready" : "live"
    const [taken, status] = yield* http.get(`${healthUrl}/health/${question}`).pipe(
      Effect.map(({ status }) => status),
      Effect.timeout(answerWithin),
      Effect.option,
      Effect.delay(askEvery),
      Effect.timed
    )
    const action = lives.tell(
      name,
      Option.isSome(status)
        ? { _tag: "Answered", isReady: status.value === 200 }
        : { _tag: "Unanswered", millis: Duration.toMillis(taken) }
    )
    if (action === "Kill") kill()
  }).pipe(Effect.forever)
