/** The ports of the dev app, asked for before anything else is touched: a second start must not disturb one that runs. */
import { ListenFailed } from "@venue/gateway/Socket"
import { Effect } from "effect"
import { createServer } from "node:net"
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
      { what: "the admin interface", host: "127.0.0.1", port: adminPort }
    ],
    isFree,
    { discard: true }
  )
}

const isFree = (place: { readonly what: string; readonly host: string; readonly port: number }) =>
  Effect.callback<void, ListenFailed>((resume) => {
    const server = createServer()
    server.once("error", (cause) => resume(Effect.fail(new ListenFailed({ ...place, cause }))))
    server.listen({ host: place.host, port: place.port }, () => server.close(() => resume(Effect.void)))
  })
