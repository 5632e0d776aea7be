/**
 * Reads of an account with a long history, in three comparisons: the newest page with a short history's newest page,
 * memory during an export of the whole list with idle memory, and a page with a bare server's response to the same
 * statement.
 */
import { readFileSync } from "node:fs"
import { addressOf } from "../../apps/dev/Wallets.ts"
import { connect } from "./Database.ts"
import * as LongHistory from "./LongHistory.ts"
import type { Options } from "./Options.ts"
import { figure, type Round, type Row, round, say } from "./Report.ts"
import { figures, load, refusalsOf } from "./RestReads.ts"
import { placeOf } from "./SignIns.ts"
import * as SignInMessages from "./SignInMessages.ts"
import { type DevUser, residentBytes, settled, startServer, startVenue, type Venue } from "./VenueProcess.ts"
import * as Worker from "./Worker.ts"

const path = "/user/trade?limit=100"
const connections = 16
/** Divisor that gives the short history's trade count. */
const shorter = 1_000
/** Maximum number of trades in the account whose whole list is exported. */
const longestFile = 1_000_000
const mebibyte = 1024 * 1024
const maxAboveIdle = 64 * mebibyte

export const history = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const server = await startServer(options.folder)
  const venue = await startVenue({ folder: options.folder, databaseUrl: server.url, traders: 3 })
  const [long, short, file] = await Promise.all(
    ["trader-1", "trader-2", "trader-3"].map((name) => readerOf(venue, name))
  )
  const lengths = [options.trades, Math.ceil(options.trades / shorter), Math.min(options.trades, longestFile)]
  // Rows without journal entries do no harm here: this temporary venue has no trading.
  const database = await connect(server.url)
  for (const [index, reader] of [long!, short!, file!].entries()) {
    await LongHistory.write(database, { accountId: reader.accountId, trades: lengths[index]! }, (text) =>
      say(`  ${text}`)
    )
  }
  await settled(venue, database)
  const rows = [
    await newestPage(options, venue, long!, short!),
    await bareServer(options, venue, long!, server.url),
    await wholeFile(options, venue, file!, lengths[2]!)
  ]
  await database.end()
  await venue.stop()
  await server.stop()
  return rows
}

interface Reader {
  readonly accountId: string
  readonly token: string
}

const newestPage = async (options: Options, venue: Venue, long: Reader, short: Reader): Promise<Row> => {
  const rounds: Array<Round> = []
  const read = ({ token }: Reader) =>
    load({ path, keys: [], token, connections: 1, seconds: options.seconds, port: portOf(venue) })
  for (let index = 0; index <= options.rounds; index++) {
    const [ofLong, ofShort] = [await read(long), await read(short)]
    say(`  newest page, ${index === 0 ? "warm-up" : `round ${index}`}: ${figures(ofLong)}; short ${figures(ofShort)}`)
    const refusals = [...refusalsOf(ofLong), ...refusalsOf(ofShort)]
    const found = round(ofLong.p50Millis, ofShort.p50Millis)
    if (index > 0) rounds.push(refusals.length === 0 ? found : { ...found, void: `refused ${refusals.join(", ")}` })
  }
  return {
    name: `newest page of an account with ${options.trades.toLocaleString("en-US")} trades`,
    unit: "ms, p50",
    anchor: `the same with ${(options.trades / shorter).toLocaleString("en-US")}`,
    rounds,
    goal: { better: "lower", solid: 2, aim: 1.2 },
    notes: []
  }
}

const bareServer = async (options: Options, venue: Venue, reader: Reader, databaseUrl: string): Promise<Row> => {
  const args = [databaseUrl, reader.accountId, venue.urls.rest]
  const bare = Worker.start("TradesAnchor.ts", args, { flags: Worker.heapFlags })
  const ports = [portOf(venue), await bare.hear<number>()] as const
  const [ours, theirs] = await Promise.all(
    ports.map((port) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${reader.token}` } }).then(
        (answer) => answer.text()
      )
    )
  )
  const fault = ours === theirs ? undefined : "the answers differ"
  const rounds: Array<Round> = []
  for (let index = 0; index <= options.rounds; index++) {
    const { token } = reader
    const read = (port: number) => load({ path, keys: [], token, connections, seconds: options.seconds, port })
    const [ofVenue, ofBare] = [await read(ports[0]), await read(ports[1])]
    say(`  a page, ${index === 0 ? "warm-up" : `round ${index}`}: venue ${figures(ofVenue)}; bare ${figures(ofBare)}`)
    const refusals = [...refusalsOf(ofVenue), ...refusalsOf(ofBare)]
    const why = fault ?? (refusals.length === 0 ? undefined : `refused ${refusals.join(", ")}`)
    const found = round(ofVenue.readsPerSecond, ofBare.readsPerSecond)
    if (index > 0) rounds.push(why === undefined ? found : { ...found, void: why })
  }
  await bare.stop()
  return {
    name: `REST, GET ${path} with a token, ${connections} connections`,
    unit: "reads/s",
    anchor: "node:http and pg that run the same statement and send the same bytes",
    rounds,
    goal: { better: "higher", solid: 0.4, aim: 0.75 },
    notes: []
  }
}

/** Measures peak memory above the idle level while one client downloads the export at full speed. */
const wholeFile = async (options: Options, venue: Venue, reader: Reader, trades: number): Promise<Row> => {
  const rounds: Array<Round> = []
  for (let index = 0; index <= options.rounds; index++) {
    await settled(venue, null)
    const before = residentBytes(venue.pid)
    let highest = before
    const watching = setInterval(() => {
      highest = Math.max(highest, residentBytes(venue.pid))
    }, 20)
    const startedAt = performance.now()
    const { bytes, lines } = await readFile(venue, reader)
    const seconds = (performance.now() - startedAt) / 1_000
    clearInterval(watching)
    const above = Math.max(0, highest - before)
    say(
      `  file, ${index === 0 ? "warm-up" : `round ${index}`}: ${(above / mebibyte).toFixed(1)} MiB above ` +
        `${(before / mebibyte).toFixed(0)}; ${(bytes / mebibyte).toFixed(0)} MiB in ${figure(seconds)} s`
    )
    const found = round(above / mebibyte, maxAboveIdle / mebibyte)
    if (index > 0) rounds.push(lines === trades + 1 ? found : { ...found, void: `${lines} lines` })
  }
  return {
    name: `a file of ${trades.toLocaleString("en-US")} trades, resident memory above rest`,
    unit: "MiB",
    anchor: "64 MiB",
    rounds,
    goal: { better: "lower", solid: 1, aim: 0.25 },
    notes: []
  }
}

const readFile = async (venue: Venue, { token }: Reader) => {
  const answer = await fetch(`${venue.urls.rest}/trades-csv`, {
    headers: { authorization: `Bearer ${token}`, "accept-encoding": "identity" }
  })
  let bytes = 0
  let lines = 0
  for await (const chunk of answer.body!) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines += 1
  }
  return { bytes, lines }
}

const portOf = ({ urls }: Venue): number => Number(new URL(urls.rest).port)

/** Signs in a venue user with the user's wallet. */
const readerOf = async (venue: Venue, name: string): Promise<Reader> => {
  const { users } = JSON.parse(readFileSync(venue.devFile, "utf8")) as {
    readonly users: ReadonlyArray<DevUser & { readonly wallet_private_key: `0x${string}` }>
  }
  const { user_id: accountId, wallet_private_key: key } = users.find((one) => one.name === name)!
  const place = placeOf(venue)
  const answer = await fetch(new URL(SignInMessages.path, venue.urls.auth), {
    method: "POST",
    headers: SignInMessages.headersOf(place),
    body: SignInMessages.body(place, addressOf(key), Buffer.from(key.slice(2), "hex"))
  })
  const { access_token: token } = (await answer.json()) as { readonly access_token: string }
  return { accountId, token }
}
