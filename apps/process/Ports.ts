/** The ports of what is about to start, asked for before anything else is touched: a second start must not disturb one that runs. */
import * as Listening from "@venue/gateway/http/Listening"
import { Effect, Schema } from "effect"
import type { SharedSettings } from "./Settings.ts"

export interface WantedPort {
  /** What is to listen there, in words. */
  readonly what: string
  readonly host: string
  readonly port: number
  /** The setting that moves it. */
  readonly variable: string
}

/** Nothing can listen there. */
export class PortRefused extends Schema.TaggedError<PortRefused>()("PortRefused", {
  variable: Schema.String,
  error: Schema.Defect()
}) {
  override get message(): string {
    const { error, variable } = this
    return `${(error as Error).message}; end what has it, or set ${variable} to another port`
  }
}

/** Those of a process that has all listeners. */
export const ofListeners = (settings: SharedSettings): ReadonlyArray<WantedPort> => {
  const { adminPort, authPort, fundingPort, host, marketDataPort, restPort, tradePort } = settings
  return [
    { what: "the REST interface", host, port: restPort, variable: "VENUE_REST_PORT" },
    { what: "the funding interface", host, port: fundingPort, variable: "VENUE_FUNDING_PORT" },
    { what: "the authentication service", host, port: authPort, variable: "VENUE_AUTH_PORT" },
    { what: "the trade socket", host, port: tradePort, variable: "VENUE_TRADE_PORT" },
    { what: "the market-data socket", host, port: marketDataPort, variable: "VENUE_MARKET_DATA_PORT" },
    { what: "the operator interface", host: "127.0.0.1", port: adminPort, variable: "VENUE_ADMIN_PORT" }
  ]
}

/** Fails with the name of the first port that somebody else has. */
export const ensureFree = (wanted: ReadonlyArray<WantedPort>) =>
  Effect.forEach(
    wanted,
    ({ variable, ...place }) =>
      Effect.mapError(Effect.scoped(Listening.open(place)), (error) => new PortRefused({ variable, error })),
    { discard: true }
  )
