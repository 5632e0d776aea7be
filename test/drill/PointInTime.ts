/** Part `backup`: restores a base backup to a point in time, starts the venue on the copy, and compares it with the balances of that time. */
import * as BackedUp from "./BackedUp.ts"
import * as Books from "./Books.ts"
import type { Drilled } from "./Drilled.ts"
import * as DrillServer from "./DrillServer.ts"
import { listed } from "./Report.ts"

export const run = async (drilled: Drilled, backedUp: BackedUp.BackedUp): Promise<void> => {
  const { report, users } = drilled
  const { after, before, books } = backedUp
  const byTime = await BackedUp.restored(drilled, backedUp, "by-time", BackedUp.toTime(backedUp))
  const atTime = BackedUp.outside(await Books.heads(byTime), before, after)
  report.check("the journal, restored to the time of the point", "no difference", ...found(atTime))
  await byTime.stop()

  const copy = await BackedUp.restored(drilled, backedUp, "by-name", BackedUp.toName)
  const atName = BackedUp.outside(await Books.heads(copy), before, after)
  report.check("the journal, restored to the name of the point", "no difference", ...found(atName))

  const nodes = await drilled.nodesOf("restored", {
    database: DrillServer.urlOf([copy]),
    variables: { VENUE_START: "halted" }
  })
  await nodes.start()
  report.check("the start without a witness", "HALTED and BLOCKED", await Books.modeOf(nodes))
  nodes.auditor.start()
  const restored = await Books.read(nodes, copy, users)
  const balances = Books.differences(books.balances, restored.balances)
  report.check(`the balances of ${users.length} users`, "no difference", ...found(balances))
  const open = Books.differences(books.open, restored.open)
  report.check(`the ${books.open.size} open orders`, "no difference", ...found(open))
  const isProven = books.proof === restored.proof
  report.check("the proof", "no difference", ...found(isProven ? [] : [`${books.proof} is ${restored.proof}`]))
  report.check("the auditor, over the whole journal", "no fault", await Books.audited(nodes))
  await nodes.stop()
  await copy.stop()
}

/** Returns the differences as text, and whether the list is empty. */
const found = (differences: ReadonlyArray<string>): readonly [string, boolean] => [
  differences.length === 0 ? "no difference" : listed(differences),
  differences.length === 0
]
