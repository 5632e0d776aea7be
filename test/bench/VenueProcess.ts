/** Runs a venue in a separate process on a separate database server, as `npm start` does but with other settings. */
import * as EmbeddedPostgres from "../../apps/dev/postgres/EmbeddedPostgres.ts"
import * as PostgresHome from "../../apps/dev/postgres/PostgresHome.ts"
import * as Postmaster from "../../apps/dev/postgres/Postmaster.ts"
import { Effect, Exit, Option, Redacted, Scope } from "effect"
import { spawn } from "node:child_process"
import { chmodSync, createWriteStream, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { type Checkout, ours } from "./Checkout.ts"
import { both, type Pair } from "./Comparison.ts"
import { startPrice, symbol } from "./LoadFrames.ts"
import * as Guard from "../nodes/Guard.ts"
import * as Ports from "../nodes/Ports.ts"
import { connect, type PostgresClient } from "./Database.ts"

export interface Server {
  /** URL of the database `venue`. */
  readonly url: string
  /** URL of another, empty database on the same server. */
  readonly anchorUrl: string
  readonly stop: () => Promise<void>
}

/** Starts a database server. Throws if its settings allow an acknowledged commit that is not on disk. */
export const startServer = async (folder: string): Promise<Server> => {
  chmodSync(folder, 0o755)
  const dataDir = mkdtempSync(join(folder, "postgres-"))
  chmodSync(dataDir, 0o755)
  const quiet = (): Effect.Effect<void> => Effect.void
  const scope = Scope.makeUnsafe()
  const started = await Effect.runPromise(EmbeddedPostgres.start({ dataDir, log: quiet }).pipe(Scope.provide(scope)))
  const left = await Effect.runPromise(Effect.flatMap(PostgresHome.open(dataDir, quiet), Postmaster.find))
  // Ctrl-C leaves no time for an orderly stop, and the server's data is no longer needed.
  const abandon = (): void => {
    if (Option.isSome(left)) process.kill(left.value.pid, "SIGQUIT")
  }
  process.once("exit", abandon)
  const unguard = Option.isSome(left) ? Guard.over(left.value.pid, "SIGQUIT") : () => {}
  const url = Redacted.value(started.url)
  const database = await connect(url)
  const { rows } = await database.query<{ name: string; setting: string }>(
    "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')"
  )
  for (const { name, setting } of rows) if (setting !== "on") throw new Error(`${name} is ${setting}`)
  await database.query("create database anchor")
  await database.end()
  const anchorUrl = new URL(url)
  anchorUrl.pathname = "/anchor"
  return {
    url,
    anchorUrl: anchorUrl.href,
    stop: async () => {
      process.removeListener("exit", abandon)
      await Effect.runPromise(Scope.close(scope, Exit.void))
      unguard()
    }
  }
}

export interface DevUser {
  readonly name: string
  readonly user_id: string
  readonly public_key: string
  readonly secret_key: string
}

export interface Venue {
  readonly pid: number
  readonly urls: Readonly<Record<"rest" | "funding" | "auth" | "trade" | "market_data" | "admin", string>>
  readonly users: ReadonlyArray<DevUser>
  readonly devFile: string
  readonly dataDir: string
  readonly admin: <A>(method: "GET" | "POST", path: string, body?: unknown) => Promise<A>
  readonly stop: () => Promise<void>
}

export interface VenueOptions {
  readonly folder: string
  readonly databaseUrl: string
  readonly traders: number
  /** True to enforce the rate limits on messages and requests. Off by default. */
  readonly rateLimits?: boolean
  /** Checkout whose venue to start; this checkout by default. */
  readonly checkout?: Checkout
  /** A stopped venue's data directory, to restart that venue. A new directory by default. */
  readonly dataDir?: string
  /** Environment variables, added to those of every bench venue or replacing them. */
  readonly variables?: Readonly<Record<string, string>>
}

/**
 * Starts a venue in which the benchmark flow's symbol has a price, every user has funds, and no market maker places
 * quotes. It boots as `npm start` does, but without the intermediate process, which would only forward signals.
 * `VENUE_BOOT` contains this process's id, which marks the running Node as the pinned version.
 */
export const startVenue = async ({
  checkout = ours,
  databaseUrl,
  folder,
  dataDir = mkdtempSync(join(folder, "venue-")),
  rateLimits = false,
  traders,
  variables = {}
}: VenueOptions): Promise<Venue> => {
  const devFile = join(dataDir, "dev.json")
  rmSync(devFile, { force: true })
  const ports = await Ports.ofGateway()
  const child = spawn(
    process.execPath,
    [
      ...checkout.nodeFlags,
      "--max-old-space-size=4096",
      ...profiling(),
      join(checkout.folder, "scripts/boot.mjs"),
      "apps/dev/main.ts"
    ],
    {
      cwd: checkout.folder,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        VENUE_BOOT: String(process.pid),
        VENUE_DATA_DIR: dataDir,
        VENUE_DATABASE_URL: databaseUrl,
        ...ports.variables,
        VENUE_MARKET_MAKER: "off",
        VENUE_AUDITOR: "off",
        VENUE_SIMULATED_PRICES: "off",
        VENUE_RATE_LIMITS: rateLimits ? "on" : "off",
        VENUE_EXTRA_USERS: String(traders),
        VENUE_MAX_OPEN_ORDERS_PER_SYMBOL: "1000000",
        VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT: "1000000",
        ...variables
      }
    }
  )
  const log = createWriteStream(join(dataDir, "log"), { flags: "a" })
  child.stdout.pipe(log)
  child.stderr.pipe(log)
  const kill = (): void => void child.kill("SIGKILL")
  process.once("exit", kill)
  child.once("exit", Guard.over(child.pid!))
  const givenUpAt = performance.now() + startMillis
  while (!existsSync(devFile)) {
    if (child.exitCode !== null || performance.now() > givenUpAt)
      throw new Error(`the venue of ${checkout.name} did not start: ${readFileSync(join(dataDir, "log"), "utf8")}`)
    await after(100)
  }
  const dev = JSON.parse(readFileSync(devFile, "utf8")) as {
    readonly urls: Venue["urls"]
    readonly admin_token: string
    readonly users: ReadonlyArray<DevUser>
  }
  const venue: Venue = {
    pid: child.pid!,
    urls: dev.urls,
    users: dev.users,
    devFile,
    dataDir,
    admin: async (method, path, body) => {
      const answer = await fetch(`${dev.urls.admin}${path}`, {
        method,
        headers: { authorization: `Bearer ${dev.admin_token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    },
    stop: async () => {
      process.removeListener("exit", kill)
      if (child.exitCode !== null) throw new Error(`the venue ended by itself with ${child.exitCode}`)
      const gone = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGTERM")
      await gone
    }
  }
  await venue.admin("POST", "/prices", { symbol, price: startPrice })
  return venue
}

export interface Venues {
  readonly venues: Pair<Venue>
  /** Connection to the venues' shared server, where one checkpoint covers both databases. */
  readonly database: PostgresClient
  readonly close: () => Promise<void>
}

/** Starts one venue per checkout, each with its own database on one server. */
export const startVenues = async (
  folder: string,
  checkouts: Pair<Checkout>,
  traders: number,
  rateLimits = false
): Promise<Venues> => {
  const server = await startServer(folder)
  const urls: Pair<string> = { ours: server.url, theirs: server.anchorUrl }
  const venues = await both(checkouts, (checkout, side) =>
    startVenue({ checkout, folder, databaseUrl: urls[side], traders, rateLimits })
  )
  const database = await connect(server.url)
  const close = async (): Promise<void> => {
    await database.end()
    await both(venues, (venue) => venue.stop())
    await server.stop()
  }
  return { venues, database, close }
}

/** Creating thousands of traders takes one minute, or several minutes on a busy machine. */
const startMillis = 600_000

/** Deposits enough for a few traders to send the whole benchmark flow between them. */
export const fund = async (venue: Venue, count: number): Promise<void> => {
  const traders = venue.users.filter(({ name }) => name.startsWith("trader-")).slice(0, count)
  for (const { user_id } of traders) {
    await venue.admin("POST", "/credits", { account_id: user_id, amount: 10_000_000, reason: "bench" })
  }
}

/** If `BENCH_PROFILE=<folder>` is set, the venue writes its CPU and heap profiles to the folder when it stops. */
const profiling = (): ReadonlyArray<string> => {
  const folder = process.env["BENCH_PROFILE"]
  return folder === undefined
    ? []
    : ["--cpu-prof", `--cpu-prof-dir=${folder}`, "--heap-prof", `--heap-prof-dir=${folder}`]
}

export const after = (millis: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, millis))

/** Returns a process's CPU seconds, or NaN if the platform does not provide them. */
export const cpuSeconds = (pid: number): number => {
  if (process.platform !== "linux") return NaN
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Returns a process's resident bytes, or NaN if the platform does not provide them. */
export const residentBytes = (pid: number): number => {
  if (process.platform !== "linux") return NaN
  const found = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  return Number(found?.[1]) * 1024
}

/**
 * Waits until the venue has finished its deferred work, which would otherwise slow the reference server: the query
 * tables must have caught up with the journal, and the process must be idle. Returns the seconds waited. Without a
 * database connection (another checkout's tables might differ) it requires a longer idle time instead.
 */
export const settled = async (venue: Venue, database: PostgresClient | null): Promise<number> => {
  const startedAt = performance.now()
  let quiet = 0
  let before = cpuSeconds(venue.pid)
  while (quiet < (database === null ? 4 : 2)) {
    await after(250)
    const rowsBehind =
      database === null ? 0 : Number((await database.query<{ behind: string }>(behind)).rows[0]?.behind)
    const now = cpuSeconds(venue.pid)
    const idle = Number.isNaN(now) || now - before < 0.03
    quiet = idle && rowsBehind <= 1 ? quiet + 1 : 0
    before = now
    if (performance.now() - startedAt > 180_000) throw new Error("the venue is still busy three minutes after a load")
  }
  return (performance.now() - startedAt) / 1000
}

/** Compares the newest existing rows only: an idle market's clock might add a row at any time. */
const behind = `
  select coalesce(max(journal.seq) - max(projection.seq), 0) as behind
  from journal left join projection on projection.position = 'trading:' || journal.stream where journal.stream = 'market/${symbol}'`
