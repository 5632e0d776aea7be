/** A cluster as `npm run cluster` starts it, on one of the bench's database servers. */
import { spawn } from "node:child_process"
import { createWriteStream, existsSync, mkdtempSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ours } from "./Checkout.ts"
import { prices } from "./ClusterMarkets.ts"
import * as Guard from "../nodes/Guard.ts"
import * as Ports from "../nodes/Ports.ts"
import { connect } from "./Database.ts"
import { after, cpuSeconds, type DevUser } from "./VenueProcess.ts"

export interface NodeProcess {
  readonly name: string
  readonly pid: number
}

export interface Cluster {
  readonly tradeUrls: ReadonlyArray<string>
  readonly users: ReadonlyArray<DevUser>
  /** Running nodes, runners first. */
  readonly nodes: () => ReadonlyArray<NodeProcess>
  /** Resolves when every node is ready. If a node process is given, waits until a new process has replaced it. */
  readonly whole: (but?: NodeProcess) => Promise<void>
  /** Restarts a node as an operator would. Resolves when the node is ready as a new process. */
  readonly restart: (name: string) => Promise<void>
  readonly isBalanced: () => Promise<boolean>
  /** CPU seconds of all running nodes. */
  readonly cpuSeconds: () => number
  readonly stop: () => Promise<void>
}

export interface ClusterOptions {
  readonly folder: string
  readonly databaseUrl: string
  readonly runners: number
  readonly gateways: number
  readonly traders: number
}

interface ClusterFile {
  readonly urls: { readonly admin: string }
  readonly gateways: ReadonlyArray<{ readonly trade: string }>
  readonly admin_token: string
  readonly users: ReadonlyArray<DevUser>
}

/** Starts a cluster in which every market has a constant price and no market maker places quotes. */
export const startCluster = async (options: ClusterOptions): Promise<Cluster> => {
  const { databaseUrl, folder, gateways, runners, traders } = options
  const dataDir = mkdtempSync(join(folder, "cluster-"))
  const base = await portBase(runners, gateways)
  const env = {
    ...process.env,
    VENUE_BOOT: String(process.pid),
    VENUE_DATA_DIR: dataDir,
    VENUE_DATABASE_URL: databaseUrl,
    VENUE_CLUSTER_RUNNERS: String(runners),
    VENUE_CLUSTER_GATEWAYS: String(gateways),
    VENUE_CLUSTER_PORT_BASE: String(base),
    ...Object.fromEntries(listeners.map((name, n) => [`VENUE_${name}_PORT`, String(base + 200 + n)])),
    VENUE_MARKET_MAKER: "off",
    VENUE_AUDITOR: "off",
    VENUE_SIMULATED_PRICES: "off",
    VENUE_RATE_LIMITS: "off",
    VENUE_EXTRA_USERS: String(traders),
    VENUE_MAX_OPEN_ORDERS_PER_SYMBOL: "1000000",
    VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT: "1000000"
  }
  const boot = (args: ReadonlyArray<string>) =>
    spawn(
      process.execPath,
      [...ours.nodeFlags, join(ours.folder, "scripts/boot.mjs"), "apps/cluster/main.ts", ...args],
      {
        cwd: ours.folder,
        env,
        stdio: ["ignore", "pipe", "pipe"]
      }
    )
  const supervisor = boot([])
  const log = createWriteStream(join(dataDir, "log"))
  for (const stream of [supervisor.stdout, supervisor.stderr]) stream.pipe(log)
  const kill = (): void => void supervisor.kill("SIGKILL")
  process.once("exit", kill)
  supervisor.once("exit", Guard.over(supervisor.pid!))
  const devFile = join(dataDir, "dev.json")
  await holding("the cluster starts", startMillis, () => {
    if (supervisor.exitCode !== null) throw new Error(`it ended: ${readFileSync(join(dataDir, "log"), "utf8")}`)
    return existsSync(devFile)
  })
  const dev = JSON.parse(readFileSync(devFile, "utf8")) as ClusterFile
  const admin = async (method: "GET" | "POST", path: string, body?: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${dev.admin_token}`, "content-type": "application/json" }
    const answer = await fetch(`${dev.urls.admin}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
  for (const [symbol, price] of prices) await admin("POST", "/prices", { symbol, price })

  const nodes = (): ReadonlyArray<NodeProcess> =>
    (JSON.parse(readFileSync(join(dataDir, "cluster.json"), "utf8")) as { nodes: ReadonlyArray<NodeProcess> }).nodes
  const database = await connect(databaseUrl)
  const ready = async (): Promise<ReadonlySet<string>> => {
    const { rows } = await database.query<{ name: string }>(readyNodes)
    return new Set(rows.map(({ name }) => name))
  }
  const whole: Cluster["whole"] = (but) =>
    holding("every node is ready", startMillis, async () => {
      const names = await ready()
      const running = nodes()
      const isOld = but !== undefined && running.some(({ name, pid }) => name === but.name && pid === but.pid)
      return !isOld && names.size === runners + gateways
    })
  return {
    tradeUrls: dev.gateways.map(({ trade }) => trade),
    users: dev.users.filter(({ name }) => name.startsWith("trader-")),
    nodes,
    whole,
    restart: async (name) => {
      const before = nodes().find((node) => node.name === name)
      const asked = boot(["restart", name])
      const code = await new Promise((resolve) => asked.once("exit", resolve))
      if (code !== 0) throw new Error(`restart ${name} ended with ${code}`)
      await whole(before)
    },
    isBalanced: async () => ((await admin("GET", "/proof")) as { balanced: boolean }).balanced,
    cpuSeconds: () => nodes().reduce((sum, { pid }) => sum + cpuSeconds(pid), 0),
    stop: async () => {
      process.removeListener("exit", kill)
      await database.end()
      const gone = new Promise((resolve) => supervisor.once("exit", resolve))
      supervisor.kill("SIGTERM")
      await gone
    }
  }
}

/** Waits until a condition holds. Throws after `millis`. */
export const holding = async (what: string, millis: number, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const givenUpAt = performance.now() + millis
  while (!(await holds())) {
    if (performance.now() > givenUpAt) throw new Error(`waited ${millis / 1000} s in vain until ${what}`)
    await after(50)
  }
}

const readyNodes = "select distinct name from node where is_ready and last_seen_at > now() - interval '2 seconds'"
const listeners = ["REST", "FUNDING", "AUTH", "TRADE", "MARKET_DATA", "ADMIN"]
/** Creating thousands of traders takes one minute, or several minutes on a busy machine. */
const startMillis = 600_000
/**
 * Returns a free port BASE. Runner n uses cluster port BASE + n and health port BASE + 100 + n. Gateway n uses health
 * port BASE + 110 + n and a block of 10 ports, starting at BASE + 200.
 */
const portBase = async (runners: number, gateways: number): Promise<number> => {
  const ofRunners = Array.from({ length: runners }, (_, n) => [n + 1, n + 101])
  const ofGateways = Array.from({ length: gateways }, (_, n) => [
    n + 111,
    ...listeners.map((_name, at) => 200 + 10 * n + at)
  ])
  const [base] = await Ports.block([0, ...ofRunners.flat(), ...ofGateways.flat()])
  return base!
}
