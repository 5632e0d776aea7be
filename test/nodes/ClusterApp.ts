/** `npm run cluster` in its own data directory and on its own ports. */
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

/** Makes a site, which is removed with its processes when the test finishes. */
export const makeSite = async (): Promise<DevApp.Site> => ({ ...(await DevApp.makeSite()), ports: await freePorts() })

/** Reserves gateway 1's ports and the ports that the plan derives from them. */
const freePorts = async (): Promise<DevApp.Variables> => {
  const gateway = { REST: 0, FUNDING: 1, AUTH: 2, TRADE: 3, MARKET_DATA: 4, ADMIN: 5 }
  const own = Object.values(gateway).flatMap((offset) => [offset, offset + 10])
  const first = (await Ports.block([...own, 101, 102, 103, 201, 202, 203, 211, 212]))[0]!
  const ports = Object.entries(gateway).map(([name, offset]) => [`VENUE_${name}_PORT`, String(first + offset)])
  return { ...Object.fromEntries(ports), VENUE_CLUSTER_PORT_BASE: String(first + 100) }
}

export const start = async (site: DevApp.Site, variables: DevApp.Variables = {}): Promise<ClusterApp> => {
  const app = await DevApp.start(site, variables, program)
  return { ...app, site, file: JSON.parse(readFileSync(join(site.dataDir, "dev.json"), "utf8")) }
}

/** Reads the nodes' process ids from the supervisor's file. */
export const pids = ({ dataDir }: DevApp.Site): ReadonlyMap<string, number> => {
  const { nodes } = JSON.parse(readFileSync(join(dataDir, "cluster.json"), "utf8"))
  return new Map((nodes as ReadonlyArray<{ name: string; pid: number }>).map(({ name, pid }) => [name, pid]))
}

/** Runs `npm run cluster -- …` with these arguments until it exits. Returns its exit code and output lines. */
export const command = async (site: DevApp.Site, ...words: ReadonlyArray<string>) => {
  const launched = DevApp.launch(site, {}, [...program, ...words])
  const { code } = await launched.ended
  return { code, lines: launched.output().trim().split("\n") }
}

/** Returns how many output lines report the node as ready. */
export const starts = (app: ClusterApp, name: string): number => app.output().split(`venue: ${name} ready,`).length - 1

/** Returns whether the process exists and is not a zombie. */
export const runs = (pid: number): boolean => {
  try {
    return !/^[ZX]/.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, ""))
  } catch {
    return false
  }
}
