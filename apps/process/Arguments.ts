/** Arguments of a program that a person runs. */
import { Effect, Schema } from "effect"

/** An argument is missing, unknown or invalid. `usage` is the command line that the program expects. */
export class ArgumentsRefused extends Schema.TaggedError<ArgumentsRefused>()("ArgumentsRefused", {
  why: Schema.String,
  usage: Schema.String
}) {
  override get message(): string {
    return `${this.why}: ${this.usage}`
  }
}

/** Returns the result of `parse`. The message of an error that it throws becomes the reason of the refusal. */
export const read = <A>(usage: string, parse: () => A): Effect.Effect<A, ArgumentsRefused> =>
  Effect.try({ try: parse, catch: (error) => new ArgumentsRefused({ why: (error as Error).message, usage }) })
