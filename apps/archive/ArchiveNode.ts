/** `npm run archive`: moves old journal rows to files, or puts the rows of a stream back. */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import * as Migrations from "@venue/postgres/Migrations"
import { Config, Console, Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { parseArgs } from "node:util"
import * as Arguments from "../process/Arguments.ts"
import { archiveDir, databaseUrl } from "../process/DatabaseSettings.ts"
import { expect } from "../process/SettingRefused.ts"
import * as ToolSettings from "../process/ToolSettings.ts"
import * as Archive from "./Archive.ts"

/** Nodes that were cut off, and readers of recent charts, need the rows of the last days. */
const leastDays = 7
const usage = `npm run archive -- --older-than <days, ${leastDays} or more> | --restore <stream>`

export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const { days, stream } = yield* Arguments.read(usage, () => read(args))
  const { directory, url } = yield* ToolSettings.read(Config.all({ directory: archiveDir, url: databaseUrl }))
  yield* expect("VENUE_ARCHIVE_DIR", directory !== "", "the directory of the archive files")
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Archive.lock(sql)
    if (stream !== undefined) {
      const count = yield* Archive.restore(sql, directory, stream)
      return yield* Console.log(`${count} rows of ${stream} are in the journal again`)
    }
    const olderThanMillis = Duration.toMillis(Duration.days(days))
    const { bytes, files, rows } = yield* Archive.run(sql, { directory, olderThanMillis })
    yield* Console.log(`${rows} rows are archived in ${files} files of ${bytes} bytes in all`)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.provideMerge(
        Migrations.layer,
        DatabaseClient.layer({ url, applicationName: "archive", maxConnections: 2, connectTimeout: "3 seconds" })
      )
    )
  )
})

const read = (args: ReadonlyArray<string>) => {
  const { values } = parseArgs({
    args: [...args],
    options: { "older-than": { type: "string" }, restore: { type: "string" } }
  })
  const { "older-than": olderThan, restore } = values
  if ((olderThan === undefined) === (restore === undefined)) throw new Error("expected --older-than or --restore")
  const days = Number(olderThan ?? leastDays)
  if (!Number.isInteger(days) || days < leastDays) throw new Error(`--older-than ${olderThan} is refused`)
  return { days, stream: restore }
}
