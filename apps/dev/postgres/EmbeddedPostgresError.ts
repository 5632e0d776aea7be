/** Why the embedded database server could not be had. */
import { Effect, Schema } from "effect"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  /** What was being done, in words for the person at the terminal. */
  step: Schema.String,
  reason: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {
  override get message(): string {
    return `Cannot ${this.step}: ${this.reason}`
  }
}

/** Runs something that throws or rejects; what it throws is the cause. */
export const attempt = <A>(step: string, run: () => PromiseLike<A> | A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: () => Promise.resolve().then(run),
    catch: (cause) =>
      new EmbeddedPostgresError({ step, reason: cause instanceof Error ? cause.message : String(cause), cause })
  })
