/**
 * `npm run explain`: adds up an account's balance from the journal, line by line, and compares it with every other
 * source.
 */
import * as DatabaseClient from "@venue/postgres/DatabaseClient"
import { millisOfDateTime, millisOfDay } from "@venue/domain/Rfc3339"
import { AccountId } from "@venue/domain/AccountId"
import { textOfMoney } from "@venue/domain/Decimal"
import { Config, Console, Effect, FileSystem, Option, Path, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { parseArgs } from "node:util"
import * as EmbeddedPostgres from "../dev/postgres/EmbeddedPostgres.ts"
import { ArchivePlace } from "../auditor/ArchivedReading.ts"
import { archiveDir, databaseUrl, dataDir } from "../process/DatabaseSettings.ts"
import * as Arguments from "../process/Arguments.ts"
import * as ToolSettings from "../process/ToolSettings.ts"
import * as Explanation from "./Explanation.ts"

const usage = "npm run explain -- --account <id> [--market AAPL-USD] [--since 2026-11-24T00:00:00Z]"

/** Neither a configured database nor a running embedded server exists. */
export class DatabaseUnknown extends Schema.TaggedError<DatabaseUnknown>()("DatabaseUnknown", {
  dataDir: Schema.String
}) {
  override get message() {
    return `no database server is running on ${this.dataDir}: start the venue, or set VENUE_DATABASE_URL`
  }
}

export class Differs extends Schema.TaggedError<Differs>()("Differs", { count: Schema.Number }) {
  override get message() {
    return `${this.count} ${this.count === 1 ? "source differs" : "sources differ"} from the journal`
  }
}

export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const query = yield* Arguments.read(usage, () => read(args))
  const { archive, url } = yield* configured
  const sql = yield* DatabaseClient.makeClient({ url, applicationName: "explain" })
  yield* Console.log("at (UTC)                       amount, USD        balance, USD  what")
  const explanation = yield* Explanation.of(sql, query, ({ amount, atMillis, balance, kind, seq, stream, what }) =>
    Console.log(
      `${new Date(atMillis).toISOString()} ${usd(amount, 17)} ${usd(balance, 19)}  ${kind === what ? what : `${kind}: ${what}`} (row ${seq} of ${stream})`
    )
  ).pipe(Effect.provideService(ArchivePlace, archive))
  for (const line of summary(query, explanation)) yield* Console.log(line)
  if (explanation.differences.length > 0) return yield* new Differs({ count: explanation.differences.length })
}, Effect.provide(Reactivity.layer))

const summary = (
  { accountId, sinceMillis, symbol }: Explanation.Query,
  { agreeing, balance, before, differences, totals, userId }: Explanation.Explanation
): ReadonlyArray<string> => [
  "",
  `account ${accountId} of user ${userId}${symbol === undefined ? "" : `, only in ${symbol}`}`,
  ...(sinceMillis > 0 ? [`balance before ${new Date(sinceMillis).toISOString()}: ${usd(before)}`] : []),
  ...Array.from(totals, ([kind, amount]) => `  ${kind.padEnd(20)} ${usd(amount, 19)}`),
  `  ${"balance".padEnd(20)} ${usd(balance, 19)}`,
  ...agreeing.map((what) => `agrees: ${what}`),
  ...differences.map((difference) => `DIFFERS: ${difference}`)
]

const read = (args: ReadonlyArray<string>): Explanation.Query => {
  const text = { type: "string" } as const
  const { values } = parseArgs({ args: [...args], options: { account: text, market: text, since: text } })
  if (values.account === undefined) throw new Error("--account is missing: expected the id of an account")
  const sinceMillis = values.since === undefined ? 0 : (millisOfDateTime(values.since) ?? millisOfDay(values.since))
  if (sinceMillis === undefined) {
    throw new Error(`--since ${values.since}: expected a day, or a date-time of RFC 3339 such as 2026-11-27T10:30:00Z`)
  }
  return { accountId: AccountId.make(values.account), symbol: values.market, sinceMillis }
}

/** Directory of the archive, and URL of the configured database or of the embedded server of `npm start`. */
const configured = Effect.gen(function* () {
  const own = Config.all({ archive: archiveDir, url: Config.option(databaseUrl), folder: dataDir })
  const { archive, folder: directory, url } = yield* ToolSettings.read(own)
  if (Option.isSome(url)) return { archive, url: url.value }
  const path = yield* Path.Path
  const files = yield* FileSystem.FileSystem
  const folder = path.join(directory, "postgres")
  // Checked first, because `find` would create the folder.
  if (!(yield* files.exists(folder))) return yield* new DatabaseUnknown({ dataDir: directory })
  const server = yield* EmbeddedPostgres.find(folder)
  return Option.isSome(server) ? { archive, url: server.value } : yield* new DatabaseUnknown({ dataDir: directory })
})

const usd = (micros: bigint, width = 0): string => textOfMoney(micros).padStart(width)
