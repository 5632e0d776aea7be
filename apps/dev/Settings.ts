/** The dev app's settings: those of any venue, and its own. */
import { Config } from "effect"
import { newAddressHoldHours, onOff, publicFormRefresh, shared } from "../process/Settings.ts"

export const Settings = Config.all({
  ...shared,
  // Whoever tries the venue out need not wait for a day, and may come with a command-line client.
  newAddressHoldHours: newAddressHoldHours(0),
  publicFormRefresh: publicFormRefresh("on"),
  databaseUrl: Config.option(Config.Redacted("VENUE_DATABASE_URL")),
  dataDir: Config.String("VENUE_DATA_DIR").pipe(Config.withDefault(".venue")),
  marketMaker: onOff("VENUE_MARKET_MAKER"),
  auditor: onOff("VENUE_AUDITOR"),
  extraUsers: Config.Int("VENUE_EXTRA_USERS").pipe(Config.withDefault(0))
})
export type Settings = Config.Success<typeof Settings>
