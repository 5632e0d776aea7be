/** Venue processes of the drill: runner, gateway and auditor on one database URL. */
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { Variables } from "../chaos/ChildProcess.ts"
import * as VenueNode from "../chaos/VenueNode.ts"
import * as Ports from "../nodes/Ports.ts"
import { until } from "../nodes/Until.ts"

export const adminToken = "svc_test_admin"

export interface Answer<A = unknown> {
  readonly status: number
  readonly body: A
}

export interface Nodes {
  /** Folder of the logs. */
  readonly folder: string
  readonly tradeUrl: string
  readonly runner: VenueNode.VenueNode
  readonly gateway: VenueNode.VenueNode
  readonly auditor: VenueNode.VenueNode
  /** Starts runner and gateway, and resolves when they are ready. */
  readonly start: () => Promise<void>
  readonly ready: () => Promise<void>
  /** Calls the operator interface. Status 0 means that the gateway did not answer. */
  readonly admin: <A>(method: "GET" | "POST", path: string, body?: object, token?: string) => Promise<Answer<A>>
  readonly stop: () => Promise<void>
}

export interface NodeOptions {
  /** Folder of the logs. */
  readonly folder: string
  readonly database: string
  /** File with the venue's secret key. */
  readonly keyFile: string
  /** Folder of the witnesses, or undefined to start without a witness. */
  readonly witness: string | undefined
  readonly variables?: Variables
}

/** Returns the nodes, none of which is started. */
export const make = async (options: NodeOptions): Promise<Nodes> => {
  const { folder } = options
  mkdirSync(folder, { recursive: true })
  const [cluster, runnerHealth, auditorHealth] = await Ports.free(3)
  const { admin, rest, trade, variables } = await Ports.ofGateway()
  const shared = { ...sharedOf(options), ...options.variables }
  const witnessOf = (name: string): Variables =>
    options.witness === undefined ? {} : { VENUE_WITNESS_DIR: folderOf(options.witness, name) }
  const node = (spec: Omit<VenueNode.Spec, "program" | "urls">) =>
    VenueNode.make({ ...spec, program: `apps/${spec.kind}/main.ts`, urls: undefined }, folder)
  const runner = node({
    name: "runner-1",
    kind: "runner",
    health: `http://127.0.0.1:${runnerHealth}`,
    variables: {
      ...shared,
      ...witnessOf("runner-1"),
      VENUE_NODE_NAME: "runner-1",
      VENUE_SIMULATED_PRICES: "on",
      VENUE_CLUSTER_ADDRESS: `127.0.0.1:${cluster}`,
      VENUE_HEALTH_PORT: String(runnerHealth)
    }
  })
  const gateway = node({
    name: "gateway-1",
    kind: "gateway",
    health: `http://127.0.0.1:${rest}`,
    variables: {
      ...shared,
      ...witnessOf("gateway-1"),
      VENUE_NODE_NAME: "gateway-1",
      VENUE_ADMIN_TOKEN: adminToken,
      VENUE_AUTH_CLIENT_KEY: "pk_test_client",
      ...variables,
      VENUE_HEALTH_PORT: "0"
    }
  })
  const auditor = node({
    name: "auditor-1",
    kind: "auditor",
    health: `http://127.0.0.1:${auditorHealth}`,
    variables: {
      VENUE_DATABASE_URL: options.database,
      VENUE_AUDITOR_HEALTH_PORT: String(auditorHealth),
      // After a restore, the audit begins at the first row of the journal.
      VENUE_AUDIT_FULL: "on"
    }
  })
  const nodes = [auditor, gateway, runner]
  const ready = async () => {
    for (const node of [runner, gateway]) await readyOf(node)
  }
  return {
    folder,
    tradeUrl: `ws://127.0.0.1:${trade}`,
    runner,
    gateway,
    auditor,
    start: async () => {
      runner.start()
      await readyOf(runner)
      gateway.start()
      await readyOf(gateway)
    },
    ready,
    admin: async (method, path, body, token = adminToken) => {
      const answer = await fetch(`http://127.0.0.1:${admin}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      }).catch(() => undefined)
      const text = (await answer?.text()) ?? ""
      return { status: answer?.status ?? 0, body: text === "" ? undefined : JSON.parse(text) }
    },
    stop: async () => {
      for (const node of nodes) {
        const code = node.runs() ? await node.end(stopMillis) : 0
        if (code !== 0) throw new Error(`${node.name} ended with ${code}: ${node.lastWords()}`)
      }
    }
  }
}

/** Starts a node that should be refused. Returns its exit code and the lines of its output. */
export const refusal = async (
  { folder }: Nodes,
  node: VenueNode.VenueNode
): Promise<{ readonly code: number | null; readonly lines: ReadonlyArray<string> }> => {
  rmSync(join(folder, `${node.name}.log`), { force: true })
  node.start()
  await until(`${node.name} exits`, () => !node.runs())
  const lines = readFileSync(join(folder, `${node.name}.log`), "utf8")
    .trim()
    .split("\n")
  return { code: await node.end(stopMillis), lines }
}

const sharedOf = ({ database, keyFile }: NodeOptions): Variables => ({
  VENUE_DATABASE_URL: database,
  VENUE_SECRET_KEY_FILE: keyFile,
  VENUE_RATE_LIMITS: "off"
})

const folderOf = (folder: string, name: string): string => {
  const path = join(folder, name)
  mkdirSync(path, { recursive: true })
  return path
}

const readyOf = (node: VenueNode.VenueNode): Promise<void> =>
  until(
    `${node.name} is ready`,
    () => {
      if (!node.runs()) throw new Error(`${node.name} ended: ${node.lastWords()}`)
      return node.isReady()
    },
    node.lastWords
  )

const stopMillis = 600_000
