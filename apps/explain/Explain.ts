/** `npm run explain`: an account's balance added up from the journal, line by line, and held against all that says what it is. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { millisOfDateTime, millisOfDay } from "@venue/domain/Rfc3339"
import { AccountId } from "@venue/domain/AccountId"
import { textOfMoney } from "@venue/domain/Decimal"
import { Config, ConfigProvider, Console, Effect, FileSystem, Option, Path, Schema } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { parseArgs } from "node:util"
import * as EmbeddedPostgres from "../dev/postgres/EmbeddedPostgres.ts"
import * as SecretFiles from "../process/SecretFiles.ts"
import * as Explanation from "./Explanation.ts"

export class ArgumentsRefused extends Schema.TaggedError<ArgumentsRefused>()("ArgumentsRefused", {
  why: Schema.String
}) {
  override get message() {
    return `${this.why}: npm run explain -- --account <id> [--market AAPL-USD] [--since 2026-11-24T00:00:00Z]`
  }
}

/** No database is known that could be asked. */
export class DatabaseUnknown extends Schema.TaggedError<DatabaseUnknown>()("DatabaseUnknown", {
  dataDir: Schema.String
}) {
  override get message() {
    return `no database server runs on ${this.dataDir}: start the venue, or say by VENUE_DATABASE_URL which database is asked`
  }
}

/** The books of the account do not agree with the journal. */
export class Differs extends Schema.TaggedError<Differs>()("Differs", { count: Schema.Number }) {
  override get message() {
    return `${this.count} places say otherwise than the journal`
  }
}

export const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const asked = yield* Effect.try({
    try: () => read(args),
    catch: (error) => new ArgumentsRefused({ why: (error as Error).message })
  })
  const url = yield* databaseUrl
  const sql = yield* PgClient.makeClient({ url, applicationName: "explain" })
  yield* Console.log("at (UTC)                       amount, USD        balance, USD  what")
  const found = yield* Explanation.of(sql, asked, ({ amount, atMillis, balance, kind, seq, stream, what }) =>
    Console.log(
      `${new Date(atMillis).toISOString()} ${usd(amount, 17)} ${usd(balance, 19)}  ${kind === what ? what : `${kind}: ${what}`} (row ${seq} of ${stream})`
    )
  )
  for (const line of summary(asked, found)) yield* Console.log(line)
  if (found.differences.length > 0) return yield* new Differs({ count: found.differences.length })
}, Effect.provide(Reactivity.layer))

const summary = (
  { accountId, sinceMillis, symbol }: Explanation.Asked,
  found: Explanation.Explanation
): ReadonlyArray<string> => [
  "",
  `account ${accountId} of user ${found.userId}${symbol === undefined ? "" : `, in ${symbol} alone`}`,
  ...(sinceMillis > 0 ? [`it had ${usd(found.before)} before ${new Date(sinceMillis).toISOString()}`] : []),
  ...Array.from(found.totals, ([kind, amount]) => `  ${kind.padEnd(20)} ${usd(amount, 19)}`),
  `  ${"balance".padEnd(20)} ${usd(found.balance, 19)}`,
  ...found.agreeing.map((what) => `agrees: ${what}`),
  ...found.differences.map((difference) => `DIFFERS: ${difference}`)
]

const read = (args: ReadonlyArray<string>): Explanation.Asked => {
  const text = { type: "string" } as const
  const { values } = parseArgs({ args: [...args], options: { account: text, market: text, since: text } })
  if (values.account === undefined) throw new Error("expected the id of an account")
  const sinceMillis = values.since === undefined ? 0 : (millisOfDateTime(values.since) ?? millisOfDay(values.since))
  if (sinceMillis === undefined) {
    throw new Error(`--since ${values.since} has to be a day, or a date-time of RFC 3339 such as 2026-11-27T10:30:00Z`)
  }
  return { accountId: AccountId.make(values.account), symbol: values.market, sinceMillis }
}

/** As it is set, or of the venue of `npm start`. */
const databaseUrl = Effect.gen(function* () {
  const environment = yield* SecretFiles.environment
  const { dataDir, url } = yield* Config.all({
    url: Config.option(Config.Redacted("VENUE_DATABASE_URL")),
    dataDir: Config.String("VENUE_DATA_DIR").pipe(Config.withDefault(".venue"))
  }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, environment))
  if (Option.isSome(url)) return url.value
  const path = yield* Path.Path
  const files = yield* FileSystem.FileSystem
  const folder = path.join(dataDir, "postgres")
  // Looking for a server would begin a folder for one.
  if (!(yield* files.exists(folder))) return yield* new DatabaseUnknown({ dataDir })
  const found = yield* EmbeddedPostgres.find(folder)
  return Option.isSome(found) ? found.value : yield* new DatabaseUnknown({ dataDir })
})

const usd = (micros: bigint, width = 0): string => textOfMoney(micros).padStart(width)
