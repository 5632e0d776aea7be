/** Plan of a cluster on this machine: its processes' names, ports, URLs and settings. */
import { urlOf } from "@venue/gateway/http/Listening"
import type { WantedPort } from "../process/Ports.ts"

export interface ClusterShape {
  readonly runners: number
  readonly gateways: number
  readonly host: string
  /** Ports of gateway 1; gateway n adds 10 × (n − 1). */
  readonly ports: Readonly<Record<Listener, number>>
  /** Runner n has its cluster port at base + n and its health port at base + 100 + n; gateway n, at base + 110 + n. */
  readonly portBase: number
}

export type Listener = "rest" | "funding" | "auth" | "trade" | "market_data" | "admin"

/** Listeners in the order in which the dev app prints them. */
const listeners = {
  rest: { what: "the REST interface", variable: "VENUE_REST_PORT", scheme: "http" },
  funding: { what: "the interface for deposits and withdrawals", variable: "VENUE_FUNDING_PORT", scheme: "http" },
  auth: { what: "the authentication service", variable: "VENUE_AUTH_PORT", scheme: "http" },
  trade: { what: "the trade socket", variable: "VENUE_TRADE_PORT", scheme: "ws" },
  market_data: { what: "the market-data socket", variable: "VENUE_MARKET_DATA_PORT", scheme: "ws" },
  admin: { what: "the operator interface", variable: "VENUE_ADMIN_PORT", scheme: "http" }
} as const
export const listenerNames = Object.keys(listeners) as ReadonlyArray<Listener>

/** Maximum number of runners, and of gateways. With more, their ports would overlap. */
export const mostOfKind = 9
const gatewayStep = 10
const healthOffset = { runner: 100, gateway: 110 }
const loopback = "127.0.0.1"
export const portBaseVariable = "VENUE_CLUSTER_PORT_BASE"

export interface PlannedNode {
  readonly name: string
  readonly kind: "runner" | "gateway"
  readonly program: string
  /** Variables for this node only. */
  readonly environment: Readonly<Record<string, string>>
  /** Base URL of `/health/live` and `/health/ready`. */
  readonly healthUrl: string
  readonly ports: ReadonlyArray<WantedPort>
}

export type PlannedGateway = PlannedNode & { readonly urls: Readonly<Record<Listener, string>> }

export const runners = ({ portBase, runners }: ClusterShape): ReadonlyArray<PlannedNode> =>
  numbers(runners).map((number) => {
    const name = `runner-${number}`
    const [port, healthPort] = [portBase + number, portBase + healthOffset.runner + number]
    return {
      name,
      kind: "runner",
      program: "apps/runner/main.ts",
      environment: {
        VENUE_NODE_NAME: name,
        VENUE_CLUSTER_ADDRESS: `${loopback}:${port}`,
        VENUE_HEALTH_HOST: loopback,
        VENUE_HEALTH_PORT: String(healthPort)
      },
      healthUrl: urlOf("http", loopback, healthPort),
      ports: [
        { what: `the cluster address of ${name}`, host: loopback, port, variable: portBaseVariable },
        { what: `the health address of ${name}`, host: loopback, port: healthPort, variable: portBaseVariable }
      ]
    }
  })

export const gateways = ({ gateways, host, portBase, ports }: ClusterShape): ReadonlyArray<PlannedGateway> =>
  numbers(gateways).map((number) => {
    const name = `gateway-${number}`
    const portOf = (listener: Listener) => ports[listener] + (number - 1) * gatewayStep
    const hostOf = (listener: Listener) => (listener === "admin" ? loopback : host)
    const ofEach = <A>(of: (listener: Listener) => A) =>
      Object.fromEntries(listenerNames.map((listener) => [listener, of(listener)])) as Readonly<Record<Listener, A>>
    const healthPort = portBase + healthOffset.gateway + number
    const urls = ofEach((listener) => urlOf(listeners[listener].scheme, hostOf(listener), portOf(listener)))
    return {
      name,
      kind: "gateway",
      program: "apps/gateway/main.ts",
      environment: {
        VENUE_NODE_NAME: name,
        VENUE_HEALTH_HOST: loopback,
        VENUE_HEALTH_PORT: String(healthPort),
        ...Object.fromEntries(listenerNames.map((listener) => [listeners[listener].variable, String(portOf(listener))]))
      },
      healthUrl: urls.rest,
      ports: [
        ...listenerNames.map((listener) => ({
          what: number === 1 ? listeners[listener].what : `${listeners[listener].what} of ${name}`,
          host: hostOf(listener),
          port: portOf(listener),
          variable: listeners[listener].variable
        })),
        { what: `the health address of ${name}`, host: loopback, port: healthPort, variable: portBaseVariable }
      ],
      urls
    }
  })

/**
 * Returns the first two listeners that have the same port. Ports can collide because the ports of each gateway are
 * shifted.
 */
export const collision = (ports: ReadonlyArray<WantedPort>): readonly [WantedPort, WantedPort] | undefined => {
  const taken = new Map<number, WantedPort>()
  for (const port of ports) {
    const other = taken.get(port.port)
    if (other !== undefined) return [other, port]
    taken.set(port.port, port)
  }
  return undefined
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
