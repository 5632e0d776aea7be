/**
 * A process's ports, checked before the start changes anything, because a second start must not disturb a running
 * process.
 */
import * as Listening from "@venue/gateway/http/Listening"
import { Effect, Schema } from "effect"
import type { NodeSettings } from "./NodeVariables.ts"
import type { SharedSettings } from "./Settings.ts"

export interface WantedPort {
  /** Name of the listener, for messages. */
  readonly what: string
  readonly host: string
  readonly port: number
  readonly variable: string
}

export class PortRefused extends Schema.TaggedError<PortRefused>()("PortRefused", {
  variable: Schema.String,
  error: Schema.Defect()
}) {
  override get message(): string {
    const { error, variable } = this
    return `${(error as Error).message}; stop the program that uses the port, or set ${variable} to another port`
  }
}

/** Returns the ports of a process that has all listeners. */
export const ofListeners = (settings: SharedSettings): ReadonlyArray<WantedPort> => {
  const { adminHost, adminPort, authPort, fundingPort, host, marketDataPort, restPort, tradePort } = settings
  return [
    { what: "the REST interface", host, port: restPort, variable: "VENUE_REST_PORT" },
    { what: "the interface for deposits and withdrawals", host, port: fundingPort, variable: "VENUE_FUNDING_PORT" },
    { what: "the authentication service", host, port: authPort, variable: "VENUE_AUTH_PORT" },
    { what: "the trade socket", host, port: tradePort, variable: "VENUE_TRADE_PORT" },
    { what: "the market-data socket", host, port: marketDataPort, variable: "VENUE_MARKET_DATA_PORT" },
    { what: "the operator interface", host: adminHost, port: adminPort, variable: "VENUE_ADMIN_PORT" }
  ]
}

/** Returns the port of a node's health address. */
export const ofHealth = ({ healthHost, healthPort }: Pick<NodeSettings, "healthHost" | "healthPort">): WantedPort => ({
  what: "the health address",
  host: healthHost,
  port: healthPort,
  variable: "VENUE_HEALTH_PORT"
})

/** Fails at the first port that is taken. */
export const ensureFree = (wanted: ReadonlyArray<WantedPort>) =>
  Effect.forEach(
    wanted,
    ({ variable, ...place }) =>
      Effect.mapError(Effect.scoped(Listening.open(place)), (error) => new PortRefused({ variable, error })),
    { discard: true }
  )
