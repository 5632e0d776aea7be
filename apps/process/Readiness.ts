/** Reason for which a process is not ready yet, for its health check and its log. */
import type { Step } from "@venue/postgres/MigrationProgress"
import { Effect } from "effect"
import * as NodeLog from "./NodeLog.ts"

/** Returns the condition that is not met, as a sentence, or undefined if the process is ready. */
export type Reason = () => string | undefined

export interface Readiness {
  readonly reason: Reason
  /** Replaces the condition. A text is a condition that stays until the next call. */
  readonly follow: (reason: Reason | string) => void
  /** Follows and logs the preparation of the tables. */
  readonly migrating: (step: Step) => Effect.Effect<void>
}

/** Logs each reason that lasts 5 s, until the process is ready for the first time. */
export const make = Effect.gen(function* () {
  let current: Reason = () => preparing("connecting to the database")
  const readiness: Readiness = {
    reason: () => current(),
    follow: (reason) => {
      current = typeof reason === "string" ? () => reason : reason
    },
    migrating: (step) => {
      readiness.follow(preparing(textOf(step)))
      return step._tag === "Waiting" ? Effect.void : NodeLog.announce(textOf(step))
    }
  }
  yield* Effect.forkScoped(logged(readiness.reason))
  return readiness
})

const preparing = (what: string): string => `Preparing the tables: ${what}.`

/** Returns a step of the migrations in words. */
export const textOf = (step: Step): string => {
  switch (step._tag) {
    case "Waiting":
      return `waiting for ${step.what}`
    case "Started":
      return `${step.name} started`
    case "Completed":
      return `${step.name} completed in ${(step.millis / 1_000).toFixed(1)} s`
  }
}

const logged = Effect.fnUntraced(function* (reason: Reason) {
  const seconds = new Map<string, number>()
  while (true) {
    yield* Effect.sleep("1 second")
    const now = reason()
    if (now === undefined) return
    const lasted = (seconds.get(now) ?? 0) + 1
    seconds.set(now, lasted)
    if (lasted === patienceSeconds) yield* NodeLog.announce(`not ready yet: ${now}`)
  }
})

const patienceSeconds = 5
