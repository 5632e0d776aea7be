/** The embedded database server is not available. */
import { Effect, Schema } from "effect"

export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  /** Failed step, as a verb phrase that is shown to the user. */
  step: Schema.String,
  reason: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {
  override get message(): string {
    return `Cannot ${this.step}: ${this.reason}`
  }
}

/** Runs `run`. An exception or rejection becomes the cause of the returned error. */
export const attempt = <A>(step: string, run: () => PromiseLike<A> | A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.tryPromise({
    try: () => Promise.resolve().then(run),
    catch: (cause) =>
      new EmbeddedPostgresError({ step, reason: cause instanceof Error ? cause.message : String(cause), cause })
  })
