/** The venue under test: its database, its processes and the proxies between them, on loopback IP addresses. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ChildProcess from "./ChildProcess.ts"
import * as DatabaseServer from "./DatabaseServer.ts"
import type { Options } from "./Options.ts"
import * as Ports from "../nodes/Ports.ts"
import * as Proxy from "./Proxy.ts"
import * as Signing from "./Signing.ts"
import * as VenueNode from "./VenueNode.ts"

export interface User extends Signing.Key {
  readonly name: string
  readonly user_id: string
  readonly wallet_private_key: string
  readonly builder_code?: string
}

interface FirstStart {
  readonly admin_token: string
  readonly auth_client_key: string
  readonly users: ReadonlyArray<User>
}

export interface Venue {
  readonly folder: string
  readonly database: DatabaseServer.DatabaseServer
  readonly nodes: ReadonlyArray<VenueNode.VenueNode>
  readonly runners: ReadonlyArray<VenueNode.VenueNode>
  readonly gateways: ReadonlyArray<VenueNode.VenueNode>
  /** An additional runner, which runs only during a join fault. */
  readonly joiner: VenueNode.VenueNode
  readonly users: ReadonlyArray<User>
  /** Proxies between each node and the database, by node name. */
  readonly toDatabase: ReadonlyMap<string, Proxy.Proxy>
  /** Proxies in front of each runner. */
  readonly toRunner: ReadonlyMap<string, Proxy.Proxy>
  /** Returns the source IP address of the node's connections. */
  readonly addressOf: (name: string) => string
  /** Calls the operator interface through any live gateway. */
  readonly operator: (path: string, body?: object) => Promise<Signing.Answer>
  readonly stop: () => Promise<void>
}

const secretKey = "a secret key for runs of faults, and for nothing else"

export const start = async (options: Options, folder: string, say: (text: string) => void): Promise<Venue> => {
  say("starting the database")
  const database = await DatabaseServer.begin(folder)
  const founded = await found(options, folder, database, say)
  const proxies: Array<Proxy.Proxy> = []
  const proxy = async (target: Proxy.Target): Promise<Proxy.Proxy> => {
    const [port = 0] = await Ports.free(1)
    const opened = await Proxy.open(port, target)
    proxies.push(opened)
    return opened
  }
  const names = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind}-${index + 1}`)
  const runnerNames = names("runner", options.runners + 1)
  const all = [...runnerNames, ...names("gateway", options.gateways)]
  const addressOf = (name: string) => `127.0.0.${20 + all.indexOf(name)}`
  const toDatabase = new Map<string, Proxy.Proxy>()
  const toRunner = new Map<string, Proxy.Proxy>()
  const nodes: Array<VenueNode.VenueNode> = []
  for (const name of all) {
    const between = await proxy({ host: "127.0.0.1", port: database.port })
    toDatabase.set(name, between)
    const common = {
      VENUE_NODE_NAME: name,
      VENUE_DATABASE_URL: database.urlAt(between.port),
      VENUE_SECRET_KEY: secretKey,
      VENUE_ADMIN_TOKEN: founded.admin_token,
      VENUE_AUTH_CLIENT_KEY: founded.auth_client_key,
      VENUE_RATE_LIMITS: "off",
      VENUE_SIMULATED_PRICES: "on",
      VENUE_CLUSTER_DIAL_FROM: addressOf(name),
      // Extends the locks: on a busy machine, nodes might renew them late and lose them repeatedly.
      VENUE_CLUSTER_LOCK_SECONDS: String(Math.min(60, Math.ceil(3 * options.patience)))
    }
    if (runnerNames.includes(name)) {
      const [cluster = 0, health = 0] = await Ports.free(2)
      const front = await proxy({ host: addressOf(name), port: cluster })
      toRunner.set(name, front)
      const variables = {
        ...common,
        VENUE_CLUSTER_ADDRESS: `127.0.0.1:${front.port}`,
        VENUE_CLUSTER_LISTEN: `${addressOf(name)}:${cluster}`,
        VENUE_HEALTH_PORT: String(health)
      }
      const spec = { name, kind: "runner", program: "apps/runner/main.ts", variables, urls: undefined } as const
      nodes.push(VenueNode.make({ ...spec, health: `http://127.0.0.1:${health}` }, folder))
    } else {
      const ports = await Ports.ofGateway()
      const variables = {
        ...common,
        ...ports.variables,
        VENUE_HEALTH_PORT: "0"
      }
      const urls = {
        rest: `http://127.0.0.1:${ports.rest}`,
        trade: `ws://127.0.0.1:${ports.trade}`,
        marketData: `ws://127.0.0.1:${ports.marketData}`,
        admin: `http://127.0.0.1:${ports.admin}`
      }
      const spec = { name, kind: "gateway", program: "apps/gateway/main.ts", variables, urls } as const
      nodes.push(VenueNode.make({ ...spec, health: urls.rest }, folder))
    }
  }
  const joiner = nodes[options.runners]!
  const serving = nodes.filter((node) => node !== joiner)
  const gateways = serving.filter(({ kind }) => kind === "gateway")
  const operator = async (path: string, body?: object): Promise<Signing.Answer> => {
    let answer: Signing.Answer = { status: null, body: undefined }
    for (const { urls } of gateways) {
      answer = await Signing.ask(`${urls!.admin}${path}`, { authorization: `Bearer ${founded.admin_token}` }, body)
      if (answer.status !== null && answer.status < 500) return answer
    }
    return answer
  }
  say(`starting ${options.runners} runners and ${options.gateways} gateways`)
  for (const node of serving) node.start()
  return {
    folder,
    database,
    nodes: serving,
    runners: serving.filter(({ kind }) => kind === "runner"),
    gateways,
    joiner,
    users: founded.users,
    toDatabase,
    toRunner,
    addressOf,
    operator,
    stop: async () => {
      await Promise.all(nodes.map((node) => node.kill()))
      for (const one of proxies) one.close()
      database.thaw()
      await database.stop()
    }
  }
}

/** Creates users, keys and funds by starting the venue once as `npm start` does, unless an earlier run already has. */
async function found(
  options: Options,
  folder: string,
  database: DatabaseServer.DatabaseServer,
  say: (text: string) => void
): Promise<FirstStart> {
  const memory = join(folder, "founded.json")
  if (existsSync(memory)) return JSON.parse(readFileSync(memory, "utf8")) as FirstStart
  say(`founding a venue with ${options.traders} traders`)
  const dataDir = join(folder, "founding")
  mkdirSync(dataDir, { recursive: true })
  const names = ["REST", "FUNDING", "AUTH", "TRADE", "MARKET_DATA", "ADMIN"]
  const ports = await Ports.free(names.length)
  const log = join(folder, "founding.log")
  const child = ChildProcess.start(
    "apps/dev/main.ts",
    {
      ...Object.fromEntries(names.map((name, index) => [`VENUE_${name}_PORT`, String(ports[index])])),
      VENUE_DATA_DIR: dataDir,
      VENUE_DATABASE_URL: database.urlAt(database.port),
      VENUE_SECRET_KEY: secretKey,
      VENUE_EXTRA_USERS: String(options.traders),
      VENUE_MARKET_MAKER: "off",
      VENUE_RATE_LIMITS: "off"
    },
    log
  )
  const devFile = join(dataDir, "dev.json")
  while (!existsSync(devFile)) {
    if (child.hasEnded()) throw new Error(`the venue was not founded:\n${readFileSync(log, "utf8")}`)
    await new Promise((again) => setTimeout(again, 100))
  }
  const file = readFileSync(devFile, "utf8")
  child.signal("SIGTERM")
  await child.ended
  writeFileSync(memory, file, { mode: 0o600 })
  return JSON.parse(file) as FirstStart
}
