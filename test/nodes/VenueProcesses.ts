/** Runners and gateways as processes on one database. */
import * as DevApp from "./DevApp.ts"
import * as SeededUsers from "./SeededUsers.ts"

const secretKey = "0123456789abcdef0123456789abcdef"
export const adminToken = "svc_test_admin"
const shared = {
  VENUE_SECRET_KEY: secretKey,
  VENUE_ADMIN_TOKEN: adminToken,
  VENUE_AUTH_CLIENT_KEY: "pk_test_client",
  VENUE_RATE_LIMITS: "off"
}

export interface NodeProcess extends DevApp.Launched {
  readonly healthUrl: string
  readonly tradeUrl: string
  /** URL of a gateway's operator interface. */
  readonly adminUrl: string
}

/** Starts the runner, gateway or auditor of this name on free ports. `database` is a URL. */
export const launch = async (
  database: string,
  name: string,
  variables: DevApp.Variables = {}
): Promise<NodeProcess> => {
  const ports = await DevApp.freePorts()
  const kind = name.split("-")[0]!
  // A runner has no operator interface, and listens for other nodes on its port.
  const { VENUE_ADMIN_PORT: cluster, VENUE_AUTH_PORT: health, VENUE_REST_PORT: rest, VENUE_TRADE_PORT: trade } = ports
  const launched = DevApp.launch(
    { dataDir: "/nonexistent", ports },
    {
      ...shared,
      VENUE_DATABASE_URL: database,
      VENUE_NODE_NAME: name,
      ...(kind === "runner" ? { VENUE_CLUSTER_ADDRESS: `127.0.0.1:${cluster}`, VENUE_HEALTH_PORT: health! } : {}),
      ...(kind === "gateway" ? { VENUE_HEALTH_PORT: "0" } : {}),
      ...(kind === "auditor" ? { VENUE_AUDITOR_HEALTH_PORT: health! } : {}),
      ...variables
    },
    [`apps/${kind}/main.ts`]
  )
  return {
    ...launched,
    healthUrl: `http://127.0.0.1:${kind === "gateway" ? rest : health}`,
    tradeUrl: `ws://127.0.0.1:${trade}`,
    adminUrl: `http://127.0.0.1:${cluster}`
  }
}

/** Waits until the node prints that it is ready. */
export const ready = async (node: NodeProcess): Promise<void> => {
  let hasEnded = false
  void node.ended.then(() => (hasEnded = true))
  await DevApp.until("a node is ready", () => {
    if (hasEnded) throw new Error(`the node ended:\n${node.output()}`)
    return node.output().includes(" ready, pid ")
  })
}

/** Returns the HTTP status of a health check, or 0 if no response arrived. */
export const health = async (node: NodeProcess, path: "live" | "ready"): Promise<number> =>
  fetch(`${node.healthUrl}/health/${path}`).then(
    ({ status }) => status,
    () => 0
  )

/** Returns the reason for which the node is not ready; "" if it is ready or does not respond. */
export const reason = async (node: NodeProcess): Promise<string> =>
  fetch(`${node.healthUrl}/health/ready`).then(
    async (answer) => {
      const { detail, reason } = (await answer.json()) as { readonly detail?: string; readonly reason?: string }
      return reason ?? detail ?? ""
    },
    () => ""
  )

/** Creates funded users, through a node in this process that owns no entities. */
export const seed = (database: string): Promise<ReadonlyArray<DevApp.User>> => SeededUsers.plant(database, secretKey)
