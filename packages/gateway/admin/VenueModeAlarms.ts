/** Alarms about a venue mode that restricts trading or withdrawals (I52). */
import type { Alarm } from "@venue/api/admin/Alarms"
import { instant } from "@venue/api/Digits"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { Effect } from "effect"

export const make = Effect.map(VenueModes, ({ inForce }) =>
  Effect.map(inForce, ({ changedAtMillis, reason, trading, withdrawals }) => {
    const alarms: Array<typeof Alarm.Type> = []
    const changed = { symbol: null, since: instant(changedAtMillis), reason }
    if (trading !== "TRADING") alarms.push({ kind: trading, ...changed })
    if (withdrawals === "BLOCKED") alarms.push({ kind: "WITHDRAWALS_BLOCKED", ...changed })
    return alarms
  })
)
