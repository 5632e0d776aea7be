/** The dev app as an operator runs it: a process of its own, with a data directory and ports of its own. */
import { spawn } from "node:child_process"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { onTestFinished } from "vitest"
import * as Boot from "./Boot.ts"
import * as Guard from "./Guard.ts"
import * as Ports from "./Ports.ts"

const root = join(import.meta.dirname, "..", "..")

export type Variables = Readonly<Record<string, string>>

/** Where one venue of a test lives, over all its starts. */
export interface Site {
  readonly dataDir: string
  readonly ports: Variables
}

export interface User {
  readonly name: string
  readonly user_id: string
  readonly public_key: string
  readonly secret_key: string
}

export interface DevFile {
  readonly urls: Readonly<Record<"rest" | "funding" | "trade" | "market_data" | "admin", string>>
  readonly brand: string
  readonly admin_token: string
  readonly users: ReadonlyArray<User>
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that was started, whatever becomes of it. */
export interface Launched {
  readonly pid: number
  /** All that it printed so far, its errors too. */
  readonly output: () => string
  /** Milliseconds from the start to the first word. */
  readonly firstWord: Promise<number>
  readonly ended: Promise<Ending>
  /** Sends the signal to this very process and waits for its end. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ending>
}

export interface DevApp extends Launched {
  readonly file: DevFile
}

/** The last line that it printed, without the name of who said it. */
export const lastWords = ({ output }: Launched): string =>
  output()
    .trim()
    .split("\n")
    .at(-1)!
    .replace(/^venue: /, "")

/** Removed with all that ran in it when the test is over. */
export const makeSite = async (): Promise<Site> => {
  const dataDir = mkdtempSync(join(tmpdir(), "venue-nodes-"))
  // The database server of a root is another user, who must get in.
  chmodSync(dataDir, 0o755)
  onTestFinished(async () => {
    for (const pid of postgresOf(dataDir)) process.kill(pid, "SIGQUIT")
    await until("the database server is gone", () => postgresOf(dataDir).length === 0)
    for (const folder of postgresFolders(dataDir)) rmSync(folder, { recursive: true, force: true })
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { dataDir, ports: await freePorts() }
}

export const freePorts = async (): Promise<Variables> => {
  const names = ["REST", "FUNDING", "AUTH", "TRADE", "MARKET_DATA", "ADMIN"].map((name) => `VENUE_${name}_PORT`)
  const ports = await Ports.free(names.length)
  return Object.fromEntries(names.map((name, index) => [name, String(ports[index])]))
}

/** With the auditor, as in `npm start`: one more process, which a test is spared that says nothing of it. */
export const audited: Variables = { VENUE_AUDITOR: "on" }

/** `program` is that of `npm start` when the whole way in is what is tested. */
export const launch = (site: Site, variables: Variables = {}, program = ["apps/dev/main.ts"]): Launched => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...Boot.flags, ...program], {
    cwd: root,
    env: {
      ...Boot.environment,
      ...site.ports,
      VENUE_DATA_DIR: site.dataDir,
      VENUE_MARKET_MAKER: "off",
      VENUE_AUDITOR: "off",
      VENUE_RATE_LIMITS: "off",
      ...variables
    },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  const spoke = Promise.withResolvers<number>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += String(text)
      spoke.resolve(performance.now() - startedAt)
    })
  }
  const ended = new Promise<Ending>((tell) => child.once("close", (code, signal) => tell({ code, signal })))
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  const abandon = () => child.kill("SIGKILL")
  process.once("exit", abandon)
  // It stops the database that it started.
  const unguard = Guard.over(child.pid!, "SIGTERM")
  void ended.then(() => {
    process.removeListener("exit", abandon)
    unguard()
  })
  onTestFinished(async () => {
    await end("SIGKILL")
  })
  return { pid: child.pid!, output: () => output, firstWord: spoke.promise, ended, end }
}

/** Resolves when the dev app says that it is ready; fails with its own words when it ends instead. */
export const start = async (site: Site, variables: Variables = {}, program?: Array<string>): Promise<DevApp> => {
  const launched = launch(site, variables, program)
  let hasEnded = false
  void launched.ended.then(() => (hasEnded = true))
  await until("the dev app is ready", () => {
    if (hasEnded) throw new Error(`the dev app ended:\n${launched.output()}`)
    return launched.output().includes("venue: ready")
  })
  return { ...launched, file: readFile(site) }
}

export const readFile = (site: Site): DevFile => JSON.parse(readFileSync(join(site.dataDir, "dev.json"), "utf8"))

/** Polls every 20 ms until the condition holds. Fails after `patienceMillis` with the condition in words and with what it `saw`. */
export const until = async (
  what: string,
  holds: () => boolean | Promise<boolean>,
  saw: () => string = () => ""
): Promise<void> => {
  const deadline = performance.now() + patienceMillis
  while (!(await holds())) {
    if (performance.now() > deadline)
      throw new Error(`waited ${patienceMillis / 1_000} s in vain until ${what}\n${saw()}`.trim())
    await new Promise((again) => setTimeout(again, 20))
  }
}

/** Limit of every wait for a process, in milliseconds: on a busy machine a start takes more than a minute. */
export const patienceMillis = 240_000

/** The database servers that live on this data directory. */
export const postgresOf = (dataDir: string): ReadonlyArray<number> => {
  const folders = postgresFolders(dataDir)
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => folders.some((folder) => commandLine(pid).includes(folder)))
    .map(Number)
}

/** Where the database files are: inside the data directory, or where a root's server may enter. */
const postgresFolders = (dataDir: string): ReadonlyArray<string> => {
  const memory = join(dataDir, "postgres", "postgres.json")
  if (!existsSync(memory)) return []
  return [resolve(dataDir, "postgres", JSON.parse(readFileSync(memory, "utf8")).directory)]
}

/** Empty for a process that is gone, or that ended and waits to be reaped. */
const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return ""
  }
}
