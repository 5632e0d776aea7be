/** Runs all checks on a history. The checker's files import nothing from the venue. */
import * as Access from "./CheckerAccess.ts"
import * as Accounts from "./CheckerAccounts.ts"
import * as Disconnects from "./CheckerDisconnects.ts"
import * as Episodes from "./CheckerEpisodes.ts"
import * as Orders from "./CheckerOrders.ts"
import * as Stops from "./CheckerStops.ts"
import { type Finding, read, type Story } from "./CheckerStory.ts"
import * as Streams from "./CheckerStreams.ts"
import * as Trades from "./CheckerTrades.ts"
import type { Line } from "./HistoryLine.ts"

export interface Verdict {
  readonly story: Story
  readonly findings: ReadonlyArray<Finding>
}

export const check = (lines: ReadonlyArray<Line>): Verdict => {
  const story = read(lines)
  const rooms = [Orders, Trades, Accounts, Disconnects, Stops, Streams, Access, Episodes]
  const found = rooms.flatMap(({ findings }) => findings(story))
  const incomplete = story.isWhole ? [] : [{ rule: "I51", text: "the history has no end: its tables were not read" }]
  return { story, findings: [...incomplete, ...found] }
}
