/** Settings of the dev app: those of any venue, and its own. */
import { Config } from "effect"
import { databaseUrl, dataDir } from "../process/DatabaseSettings.ts"
import * as Setting from "../process/Setting.ts"
import { shared } from "../process/Settings.ts"
import { publicFormRefresh } from "../process/SignInSettings.ts"

const local: ReadonlyArray<Setting.Reader> = ["start", "cluster"]

export const Settings = Config.all({
  ...shared,
  // A default for trials: command-line clients can refresh.
  publicFormRefresh: publicFormRefresh("on"),
  databaseUrl: Config.option(databaseUrl),
  dataDir,
  marketMaker: Setting.onOff("VENUE_MARKET_MAKER", {
    default: "on",
    meaning: "`on`: starts a market maker",
    readers: local,
    changes: "process"
  }),
  auditor: Setting.onOff("VENUE_AUDITOR", {
    default: "on",
    meaning:
      "`on`: starts an auditor and waits for its first audit; `off`: withdrawals are blocked unless an auditor runs elsewhere",
    readers: local,
    changes: "process"
  }),
  extraUsers: Setting.int("VENUE_EXTRA_USERS", {
    default: 0,
    meaning: "Number of additional funded users, named `trader-1` and so on, in `dev.json`",
    readers: local,
    changes: "process"
  })
})
export type Settings = Config.Success<typeof Settings>
