/** Settings that may not change once a venue has been started with them. */
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"

/** The venue was founded with another value; its journals depend on it. */
export class FoundedOtherwise extends Schema.TaggedError<FoundedOtherwise>()("FoundedOtherwise", {
  name: Schema.String,
  founded: Schema.String,
  asked: Schema.String
}) {
  override get message(): string {
    return `${this.name} was ${this.founded} at the first start of this venue and cannot become ${this.asked}`
  }
}

/** Stores the value at the first start, and agrees with it at every later one. */
export const agree = Effect.fn("Founding.agree")(function*(name: string, asked: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into founding (name, value) values (${name}, ${asked}) on conflict do nothing`
  const [row] = yield* sql<{ readonly value: string }>`select value from founding where name = ${name}`
  if (row!.value !== asked) return yield* new FoundedOtherwise({ name, founded: row!.value, asked })
})
