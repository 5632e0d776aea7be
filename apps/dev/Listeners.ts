/** The addresses of a venue in one process, each on its port. */
import { Venue } from "@venue/cluster/protocol/Venue"
import * as Headers from "@venue/api/Headers"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import * as Socket from "@venue/gateway/Socket"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Effect, type Redacted } from "effect"
import type { ServerResponse } from "node:http"
import type { Settings } from "./Settings.ts"

export const open = Effect.fn("Listeners.open")(function*(settings: Settings, adminToken: Redacted.Redacted) {
  const trade = yield* TradeGateway
  const marketData = yield* MarketDataGateway
  const { rateLimits } = yield* Venue
  const { host } = settings
  const tradeListener = yield* Socket.listen({
    what: "the trade socket",
    host,
    port: settings.tradePort,
    limits: rateLimits,
    accept: (transport, request) => trade.open(transport, String(request.headers[`x-${settings.brand}-builder-code`] ?? "")),
    answer: notHere
  })
  const marketDataListener = yield* Socket.listen({
    what: "the market-data socket",
    host,
    port: settings.marketDataPort,
    limits: rateLimits,
    accept: (transport) => marketData.open(transport),
    answer: notHere
  })
  return {
    rest: `http://${host}:${settings.restPort}`,
    trade: `ws://${host}:${tradeListener.port}`,
    market_data: `ws://${host}:${marketDataListener.port}`,
    admin: `http://127.0.0.1:${settings.adminPort}`
  }
})

const notHere = (_: unknown, response: ServerResponse) => {
  response.writeHead(426, { Upgrade: "websocket" }).end()
}
