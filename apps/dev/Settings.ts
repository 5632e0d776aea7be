/** The dev app's settings: environment variables, all with defaults. */
import { Config } from "effect"

const onOff = (name: string) =>
  Config.Literals(["on", "off"], name).pipe(
    Config.withDefault("on" as const),
    Config.map((value) => value === "on")
  )

export const Settings = Config.all({
  databaseUrl: Config.option(Config.Redacted("VENUE_DATABASE_URL")),
  dataDir: Config.String("VENUE_DATA_DIR").pipe(Config.withDefault(".venue")),
  host: Config.String("VENUE_HOST").pipe(Config.withDefault("127.0.0.1")),
  brand: Config.String("VENUE_BRAND").pipe(Config.withDefault("svc")),
  restPort: Config.Port("VENUE_REST_PORT").pipe(Config.withDefault(4000)),
  tradePort: Config.Port("VENUE_TRADE_PORT").pipe(Config.withDefault(4003)),
  marketDataPort: Config.Port("VENUE_MARKET_DATA_PORT").pipe(Config.withDefault(4004)),
  adminPort: Config.Port("VENUE_ADMIN_PORT").pipe(Config.withDefault(4005)),
  marketMaker: onOff("VENUE_MARKET_MAKER"),
  simulatedPrices: onOff("VENUE_SIMULATED_PRICES"),
  rateLimits: onOff("VENUE_RATE_LIMITS"),
  desks: Config.Int("VENUE_DESKS").pipe(Config.withDefault(16)),
  extraUsers: Config.Int("VENUE_EXTRA_USERS").pipe(Config.withDefault(0)),
  maxOpenOrdersPerSymbol: Config.Int("VENUE_MAX_OPEN_ORDERS_PER_SYMBOL").pipe(Config.withDefault(200)),
  maxOpenOrdersPerAccount: Config.Int("VENUE_MAX_OPEN_ORDERS_PER_ACCOUNT").pipe(Config.withDefault(1_000)),
  secretKey: Config.option(Config.Redacted("VENUE_SECRET_KEY"))
})
export type Settings = Config.Success<typeof Settings>
