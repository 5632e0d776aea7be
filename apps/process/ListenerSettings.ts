/** Settings of the URLs and ports that clients use. */
import { Config } from "effect"
import * as Setting from "./Setting.ts"

const port = (name: string, value: number, listener: string) =>
  Setting.port(name, {
    default: value,
    meaning: `Port of the ${listener}`,
    readers: Setting.gateways,
    changes: "process"
  })

const publicUrl = (name: string, meaning: string) =>
  Config.option(
    Setting.string(name, {
      usual: "the listening address",
      meaning,
      readers: Setting.gateways,
      changes: "all gateways"
    })
  )

export const all = {
  host: Setting.string("VENUE_HOST", {
    default: "127.0.0.1",
    meaning:
      "Address of the public listeners; the operator interface stays on loopback. Hosts besides loopback, `0.0.0.0` and `::` need an https `VENUE_PUBLIC_AUTH_URL`",
    readers: Setting.gateways,
    changes: "process"
  }),
  restPort: port("VENUE_REST_PORT", 4000, "REST interface"),
  fundingPort: port("VENUE_FUNDING_PORT", 4001, "funding interface"),
  authPort: port("VENUE_AUTH_PORT", 4002, "authentication service"),
  tradePort: port("VENUE_TRADE_PORT", 4003, "trade socket"),
  marketDataPort: port("VENUE_MARKET_DATA_PORT", 4004, "market-data socket"),
  adminPort: port("VENUE_ADMIN_PORT", 4005, "operator interface"),
  publicRestUrl: publicUrl("VENUE_PUBLIC_REST_URL", "Public address of REST behind a proxy"),
  publicFundingUrl: publicUrl("VENUE_PUBLIC_FUNDING_URL", "Public address of the funding interface behind a proxy"),
  publicAuthUrl: publicUrl(
    "VENUE_PUBLIC_AUTH_URL",
    "Public address of the authentication service behind a proxy; with `/auth/v1` it is the issuer of tokens"
  ),
  publicTradeUrl: publicUrl("VENUE_PUBLIC_TRADE_URL", "Public address of the trade socket behind a proxy"),
  publicMarketDataUrl: publicUrl(
    "VENUE_PUBLIC_MARKET_DATA_URL",
    "Public address of the market-data socket behind a proxy"
  ),
  trustedProxies: Setting.list("VENUE_TRUSTED_PROXIES", {
    meaning:
      "Addresses and networks of proxies, separated by commas, whose `X-Forwarded-For` or `Forwarded` header names the caller",
    readers: Setting.gateways,
    changes: "process"
  }),
  countryHeader: Config.option(
    Setting.string("VENUE_COUNTRY_HEADER", {
      meaning:
        "Header with the caller's two-letter country, which a trusted proxy must overwrite; needs `VENUE_TRUSTED_PROXIES`",
      readers: Setting.gateways,
      changes: "process"
    })
  ),
  accessLog: Config.option(
    Setting.literals("VENUE_ACCESS_LOG", ["on", "off"], {
      usual: "`off` in development, else `on`",
      meaning:
        "Logs each REST request: method, route, status, milliseconds, user, request id; never an address, header or body",
      readers: Setting.gateways,
      changes: "process"
    })
  )
}
