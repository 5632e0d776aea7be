/** The addresses of a venue in one process, each on its port. */
import { Venue } from "@venue/cluster/protocol/Venue"
import * as AdminServer from "@venue/gateway/admin/AdminServer"
import { Health } from "@venue/gateway/Health"
import { MarketDataGateway } from "@venue/gateway/marketData/MarketDataGateway"
import * as RestServer from "@venue/gateway/rest/RestServer"
import * as Socket from "@venue/gateway/Socket"
import { TradeGateway } from "@venue/gateway/trade/TradeGateway"
import { Effect } from "effect"
import type { Settings } from "./Settings.ts"

export const open = Effect.fn("Listeners.open")(function* (
  settings: Settings,
  admin: Pick<AdminServer.AdminServerOptions, "token" | "onPrice">
) {
  const trade = yield* TradeGateway
  const marketData = yield* MarketDataGateway
  const { rateLimits } = yield* Venue
  const health = yield* Health
  const { brand, host } = settings
  const rest = yield* RestServer.open({ host, port: settings.restPort, brand })
  const operator = yield* AdminServer.open({ ...admin, port: settings.adminPort })
  const tradeListener = yield* Socket.listen({
    what: "the trade socket",
    host,
    port: settings.tradePort,
    limits: rateLimits,
    accept: (transport, request) =>
      trade.open(transport, String(request.headers[`x-${settings.brand}-builder-code`] ?? "")),
    answer: health.answer(rest.url)
  })
  const marketDataListener = yield* Socket.listen({
    what: "the market-data socket",
    host,
    port: settings.marketDataPort,
    limits: rateLimits,
    accept: (transport) => marketData.open(transport),
    answer: health.answer(rest.url)
  })
  return {
    rest: rest.url,
    trade: `ws://${host}:${tradeListener.port}`,
    market_data: `ws://${host}:${marketDataListener.port}`,
    admin: operator.url
  }
})
