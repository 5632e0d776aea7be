/** The venue of `npm run cluster` with its own database and auditor: two runners and one gateway on free ports. */
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as ChildProcess from "../chaos/ChildProcess.ts"
import * as DatabaseServer from "../chaos/DatabaseServer.ts"
import * as Signing from "../chaos/Signing.ts"
import * as Ports from "../nodes/Ports.ts"
import type { Addresses } from "./Prometheus.ts"

export interface User extends Signing.Key {
  readonly name: string
  readonly user_id: string
}

interface DevFile {
  readonly urls: Readonly<Record<"rest" | "funding" | "trade" | "admin", string>>
  readonly admin_token: string
  readonly users: ReadonlyArray<User>
}

export interface ClusterVenue {
  readonly addresses: Addresses
  readonly urls: DevFile["urls"]
  readonly traders: ReadonlyArray<User>
  /** Kills a node's process, which the supervisor then restarts. */
  readonly kill: (name: string) => void
  /** Runs `npm run cluster -- …` with these arguments. */
  readonly command: (...words: ReadonlyArray<string>) => Promise<void>
  readonly operator: (path: string, body: object) => Promise<Signing.Answer>
  readonly stop: () => Promise<void>
}

const traderCount = 6
const listeners = ["REST", "FUNDING", "AUTH", "TRADE", "MARKET_DATA", "ADMIN"]
const offsets = { runner1: 201, runner2: 202, gateway: 211 }

export const start = async (folder: string, isOver: () => boolean): Promise<ClusterVenue> => {
  const database = await DatabaseServer.begin(folder)
  const dataDir = join(folder, "venue")
  mkdirSync(dataDir, { recursive: true })
  const [first = 0] = await Ports.block([...listeners.keys(), 101, 102, ...Object.values(offsets)])
  const auditorPort = await Ports.one()
  const databaseUrl = database.urlAt(database.port)
  const variables = {
    ...Object.fromEntries(listeners.map((name, offset) => [`VENUE_${name}_PORT`, String(first + offset)])),
    VENUE_CLUSTER_PORT_BASE: String(first + 100),
    VENUE_CLUSTER_RUNNERS: "2",
    VENUE_CLUSTER_GATEWAYS: "1",
    VENUE_DATA_DIR: dataDir,
    VENUE_DATABASE_URL: databaseUrl,
    VENUE_EXTRA_USERS: String(traderCount),
    VENUE_NEW_ADDRESS_HOLD_HOURS: "0",
    // The supervisor's own auditor has a random health port.
    VENUE_AUDITOR: "off"
  }
  const log = join(folder, "cluster.log")
  const cluster = ChildProcess.start("apps/cluster/main.ts", variables, log)
  const devFile = join(dataDir, "dev.json")
  const processes = [cluster]
  const stop = async () => {
    for (const each of processes.toReversed()) {
      each.signal("SIGTERM")
      await each.ended
    }
    await database.stop()
  }
  while (!existsSync(devFile) && !isOver()) {
    if (cluster.hasEnded()) {
      await stop()
      throw new Error(`the venue did not start:\n${readFileSync(log, "utf8").slice(-4_000)}`)
    }
    await new Promise((again) => setTimeout(again, 100))
  }
  const auditing = { VENUE_DATABASE_URL: databaseUrl, VENUE_AUDITOR_HEALTH_PORT: String(auditorPort) }
  processes.push(ChildProcess.start("apps/auditor/main.ts", auditing, join(folder, "auditor.log")))
  const at = (port: number) => `127.0.0.1:${port}`
  const file = (isOver() ? { urls: {}, users: [] } : JSON.parse(readFileSync(devFile, "utf8"))) as DevFile
  return {
    addresses: {
      "runner-1:4010": at(first + offsets.runner1),
      "runner-2:4010": at(first + offsets.runner2),
      "gateway-1:4006": at(first + offsets.gateway),
      "auditor:4030": at(auditorPort)
    },
    urls: file.urls,
    traders: file.users.filter(({ name }) => name.startsWith("trader-")),
    kill: (name) => {
      const { nodes } = JSON.parse(readFileSync(join(dataDir, "cluster.json"), "utf8")) as {
        readonly nodes: ReadonlyArray<{ readonly name: string; readonly pid: number }>
      }
      process.kill(nodes.find((node) => node.name === name)!.pid, "SIGKILL")
    },
    command: async (...words) => {
      const commandLog = join(folder, "command.log")
      const code = await ChildProcess.start("apps/cluster/main.ts", variables, commandLog, words).ended
      if (code !== 0)
        throw new Error(`cluster -- ${words.join(" ")}:\n${readFileSync(commandLog, "utf8").slice(-2_000)}`)
    },
    operator: (path, body) =>
      Signing.ask(`${file.urls.admin}${path}`, { authorization: `Bearer ${file.admin_token}` }, body),
    stop
  }
}
