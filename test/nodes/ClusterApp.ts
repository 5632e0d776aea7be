/** A cluster as an operator runs it: `npm run cluster` in a data directory and on ports of its own. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as DevApp from "./DevApp.ts"
import * as Ports from "./Ports.ts"

const program = ["apps/cluster/main.ts"]

export interface Gateway {
  readonly rest: string
  readonly auth: string
  readonly trade: string
  readonly market_data: string
  readonly admin: string
}

export interface ClusterApp extends DevApp.Launched {
  readonly site: DevApp.Site
  readonly file: DevApp.DevFile & { readonly gateways: ReadonlyArray<Gateway> }
}

/** Removed with all that ran in it when the test is over. */
export const makeSite = async (): Promise<DevApp.Site> => ({ ...(await DevApp.makeSite()), ports: await freePorts() })

/** Those of gateway 1, with room above them for the others of the plan. */
const freePorts = async (): Promise<DevApp.Variables> => {
  const gateway = { REST: 0, AUTH: 2, TRADE: 3, MARKET_DATA: 4, ADMIN: 5 }
  const own = Object.values(gateway).flatMap((offset) => [offset, offset + 10])
  const first = (await Ports.block([...own, 101, 102, 103, 201, 202, 203]))[0]!
  const ports = Object.entries(gateway).map(([name, offset]) => [`VENUE_${name}_PORT`, String(first + offset)])
  return { ...Object.fromEntries(ports), VENUE_CLUSTER_PORT_BASE: String(first + 100) }
}

/** Resolves when it says that it is ready. */
export const start = async (site: DevApp.Site, variables: DevApp.Variables = {}): Promise<ClusterApp> => {
  const app = await DevApp.start(site, variables, program)
  return { ...app, site, file: JSON.parse(readFileSync(join(site.dataDir, "dev.json"), "utf8")) }
}

/** The processes of the nodes, as the supervisor remembers them. */
export const pids = ({ dataDir }: DevApp.Site): ReadonlyMap<string, number> => {
  const { nodes } = JSON.parse(readFileSync(join(dataDir, "cluster.json"), "utf8"))
  return new Map((nodes as ReadonlyArray<{ name: string; pid: number }>).map(({ name, pid }) => [name, pid]))
}

/** `npm run cluster -- …` beside the one that runs: what it said, and how it ended. */
export const ask = async (site: DevApp.Site, ...words: ReadonlyArray<string>) => {
  const launched = DevApp.launch(site, {}, [...program, ...words])
  const { code } = await launched.ended
  return { code, lines: launched.output().trim().split("\n") }
}

/** How often the output says that the node is ready. */
export const starts = (app: ClusterApp, name: string): number => app.output().split(`venue: ${name} ready,`).length - 1

export const runs = (pid: number): boolean => {
  try {
    // A process that ended and waits to be asked how runs no more.
    return !/^[ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, ""))
  } catch {
    return false
  }
}
