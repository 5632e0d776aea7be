/** Reports of a process that prepares the tables, for its log and its health check. */
import { Context, Duration, Effect } from "effect"

export type Step =
  /** The process waits for another process or for a lock. */
  | { readonly _tag: "Waiting"; readonly what: string }
  | { readonly _tag: "Started"; readonly name: string }
  | { readonly _tag: "Completed"; readonly name: string; readonly millis: number }

/** Receives each step. By default, steps are ignored. */
export const MigrationProgress = Context.Reference<(step: Step) => Effect.Effect<void>>(
  "@venue/postgres/MigrationProgress",
  { defaultValue: () => () => Effect.void }
)

export const report = (step: Step): Effect.Effect<void> => Effect.flatMap(MigrationProgress, (send) => send(step))

/** Reports the start and the end of `work` under its name. */
export const reported = <A, E, R>(name: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    yield* report({ _tag: "Started", name })
    const [duration, result] = yield* Effect.timed(work)
    yield* report({ _tag: "Completed", name, millis: Duration.toMillis(duration) })
    return result
  })
