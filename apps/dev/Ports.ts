/** The ports of the dev app, asked for before anything else is touched: a second start must not disturb one that runs. */
import * as Listening from "@venue/gateway/Listening"
import { Effect } from "effect"
import type { Settings } from "./Settings.ts"

/** Fails with the name of the first port that somebody else has. */
export const ensureFree = (settings: Settings) => {
  const { adminPort, authPort, host, marketDataPort, restPort, tradePort } = settings
  return Effect.forEach(
    [
      { what: "the REST interface", host, port: restPort },
      { what: "the authentication service", host, port: authPort },
      { what: "the trade socket", host, port: tradePort },
      { what: "the market-data socket", host, port: marketDataPort },
      { what: "the operator interface", host: "127.0.0.1", port: adminPort }
    ],
    (place) => Effect.scoped(Listening.open(place)),
    { discard: true }
  )
}
