/** Settings of the URLs and ports that clients use. */
import { Config } from "effect"
import * as Setting from "./Setting.ts"

/** Names of the settings with the files of the operator interface's certificate. */
export const adminTls = { cert: "VENUE_ADMIN_TLS_CERT", key: "VENUE_ADMIN_TLS_KEY" } as const

const port = (name: string, value: number, listener: string) =>
  Setting.port(name, {
    default: value,
    meaning: `Port of the ${listener}`,
    readers: Setting.gateways,
    changes: "process"
  })

/** Settings of the operator interface that a cluster on one machine does not have. */
const ofOperators = { readers: ["start", "gateway"], changes: "process" } as const

const publicUrl = (name: string, meaning: string) =>
  Config.option(
    Setting.string(name, {
      usual: "the listener's own URL",
      meaning,
      readers: Setting.gateways,
      changes: "all gateways"
    })
  )

export const all = {
  host: Setting.string("VENUE_HOST", {
    default: "127.0.0.1",
    meaning:
      "Listening address of all listeners except the operator interface. Addresses other than loopback, `0.0.0.0` and `::` require an https `VENUE_PUBLIC_AUTH_URL`",
    readers: Setting.gateways,
    changes: "process"
  }),
  restPort: port("VENUE_REST_PORT", 4000, "REST interface"),
  fundingPort: port("VENUE_FUNDING_PORT", 4001, "interface for deposits and withdrawals"),
  authPort: port("VENUE_AUTH_PORT", 4002, "authentication service"),
  tradePort: port("VENUE_TRADE_PORT", 4003, "trade socket"),
  marketDataPort: port("VENUE_MARKET_DATA_PORT", 4004, "market-data socket"),
  adminPort: port("VENUE_ADMIN_PORT", 4005, "operator interface"),
  adminHost: Setting.string("VENUE_ADMIN_HOST", {
    default: "127.0.0.1",
    meaning:
      "Listening address of the [operator interface](operators.md#listener). An address other than loopback requires a certificate and an allow list",
    ...ofOperators
  }),
  adminTlsCert: Config.option(
    Setting.string(adminTls.cert, {
      meaning: "PEM file with the certificate chain of the operator interface; read again when it changes",
      ...ofOperators
    })
  ),
  adminTlsKey: Config.option(
    Setting.string(adminTls.key, {
      meaning: "PEM file with the private key of the operator interface's certificate; read again when it changes",
      ...ofOperators
    })
  ),
  adminAllow: Setting.list("VENUE_ADMIN_ALLOW", {
    meaning:
      "IP addresses and networks, separated by commas, from which operators can connect; without a value, operators can connect from any address",
    ...ofOperators
  }),
  publicRestUrl: publicUrl("VENUE_PUBLIC_REST_URL", "Public URL of the REST interface behind a proxy"),
  publicFundingUrl: publicUrl(
    "VENUE_PUBLIC_FUNDING_URL",
    "Public URL of the interface for deposits and withdrawals behind a proxy"
  ),
  publicAuthUrl: publicUrl(
    "VENUE_PUBLIC_AUTH_URL",
    "Public URL of the authentication service behind a proxy; with `/auth/v1` appended, the token issuer"
  ),
  publicTradeUrl: publicUrl("VENUE_PUBLIC_TRADE_URL", "Public URL of the trade socket behind a proxy"),
  publicMarketDataUrl: publicUrl("VENUE_PUBLIC_MARKET_DATA_URL", "Public URL of the market-data socket behind a proxy"),
  trustedProxies: Setting.list("VENUE_TRUSTED_PROXIES", {
    meaning:
      "IP addresses and networks, separated by commas, of proxies whose `X-Forwarded-For` or `Forwarded` header identifies the caller",
    readers: Setting.gateways,
    changes: "process"
  }),
  countryHeader: Config.option(
    Setting.string("VENUE_COUNTRY_HEADER", {
      meaning:
        "Name of the header with the caller's two-letter country code, which a trusted proxy must overwrite; requires `VENUE_TRUSTED_PROXIES`",
      readers: Setting.gateways,
      changes: "process"
    })
  ),
  accessLog: Config.option(
    Setting.literals("VENUE_ACCESS_LOG", ["on", "off"], {
      usual: "`off` in development, else `on`",
      meaning:
        "`on`: logs the method, route, status, milliseconds, user and request id of each REST request; never an address, header or body",
      readers: Setting.gateways,
      changes: "process"
    })
  )
}
