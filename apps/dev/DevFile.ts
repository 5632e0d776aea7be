/** What a program needs to use a venue started on this machine: the file `dev.json` in its data directory. */
import { Config, Effect, FileSystem, Path, Schema } from "effect"

const User = Schema.Struct({
  name: Schema.String,
  public_key: Schema.String,
  secret_key: Schema.RedactedFromValue(Schema.String)
})
export type DevUser = typeof User.Type

export const DevFile = Schema.Struct({
  urls: Schema.Struct({ rest: Schema.String, trade: Schema.String, market_data: Schema.String }),
  users: Schema.Array(User)
})
export type DevFile = typeof DevFile.Type

/** No venue was started there. */
export class NoVenue extends Schema.TaggedError<NoVenue>()("NoVenue", { path: Schema.String }) {}

/** The file is there and does not hold what it should; no part of it is told, since it holds secrets. */
export class UnreadableDevFile extends Schema.TaggedError<UnreadableDevFile>()("UnreadableDevFile", {
  path: Schema.String
}) {}

export const load = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const directory = yield* Config.String("VENUE_DATA_DIR").pipe(Config.withDefault(".venue"))
  const path = paths.join(directory, "dev.json")
  const text = yield* files.readFileString(path).pipe(Effect.mapError(() => new NoVenue({ path })))
  return yield* Schema.decodeUnknownEffect(Schema.fromJsonString(DevFile))(text).pipe(
    Effect.mapError(() => new UnreadableDevFile({ path }))
  )
})
