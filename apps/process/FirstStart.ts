/** First start of a venue. Outside development, an empty database becomes a venue only on request. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as FixedSettings from "@venue/postgres/FixedSettings"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import type { NodeSettings } from "./NodeSettings.ts"

/** The database holds no venue, and nothing requested a new one. */
export class NoVenue extends Schema.TaggedError<NoVenue>()("NoVenue", { database: Schema.String }) {
  override get message(): string {
    return `the database ${this.database} holds no venue: correct VENUE_DATABASE_URL, or create a new venue with npm run init or by starting one node with VENUE_INIT=new-venue`
  }
}

/** Returns host, port and name of a database, without user and password. */
export const nameOf = (url: Redacted.Redacted): string => {
  const parsed = URL.parse(Redacted.value(url))
  return parsed === null ? "of VENUE_DATABASE_URL" : `${parsed.host}${parsed.pathname}`
}

/** Returns whether the database holds a venue. Opens a connection for this query only. */
export const isFounded = (url: Redacted.Redacted) =>
  Effect.provide(
    FixedSettings.isFounded(),
    Layer.fresh(DatabaseClient.layer({ url, applicationName: "first-start", maxConnections: 1 }))
  )

/** Refuses an empty database outside development, unless `VENUE_INIT` requests a new venue. */
export const check = Effect.fn("FirstStart.check")(function* ({
  databaseUrl,
  environment,
  init
}: Pick<NodeSettings, "databaseUrl" | "environment" | "init">) {
  if (yield* isFounded(databaseUrl)) {
    if (Option.isSome(init))
      yield* Effect.logWarning(
        `VENUE_INIT is set, and the database ${nameOf(databaseUrl)} already holds a venue; remove the setting, so that a wrong VENUE_DATABASE_URL cannot create another venue`
      )
  } else if (environment !== "development" && Option.isNone(init))
    return yield* new NoVenue({ database: nameOf(databaseUrl) })
})
