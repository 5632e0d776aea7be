/** The ports of the dev app, asked for before anything else is touched: a second start must not disturb one that runs. */
import * as Listening from "@venue/gateway/http/Listening"
import { Effect, Schema } from "effect"
import type { Settings } from "./Settings.ts"

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

/** Fails with the name of the first port that somebody else has. */
export const ensureFree = (settings: Settings) => {
  const { adminPort, authPort, host, marketDataPort, restPort, tradePort } = settings
  return Effect.forEach(
    [
      { what: "the REST interface", host, port: restPort, variable: "VENUE_REST_PORT" },
      { what: "the authentication service", host, port: authPort, variable: "VENUE_AUTH_PORT" },
      { what: "the trade socket", host, port: tradePort, variable: "VENUE_TRADE_PORT" },
      { what: "the market-data socket", host, port: marketDataPort, variable: "VENUE_MARKET_DATA_PORT" },
      { what: "the operator interface", host: "127.0.0.1", port: adminPort, variable: "VENUE_ADMIN_PORT" }
    ],
    ({ variable, ...place }) =>
      Effect.mapError(Effect.scoped(Listening.open(place)), (error) => new PortRefused({ variable, error })),
    { discard: true }
  )
}
