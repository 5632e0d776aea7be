/** Alarms about a venue mode that restricts trading or withdrawals (I52), and about a late or missing audit. */
import { instant } from "@venue/api/Digits"
import { auditDelay } from "@venue/domain/VenueMode"
import { HasAuditor, VenueModes } from "@venue/storage/access/VenueModes"
import { Clock, Effect } from "effect"
import { type Condition, reading } from "./AlarmSource.ts"

export const make = Effect.gen(function* () {
  const { inForce } = yield* VenueModes
  const hasAuditor = yield* HasAuditor
  return Effect.gen(function* () {
    const mode = yield* inForce
    const { changedAtMillis, reason, trading, withdrawals } = mode
    const alarms: Array<Condition> = []
    const changed = { symbol: null, since: instant(changedAtMillis), reason }
    if (trading !== "TRADING") alarms.push({ kind: trading, ...changed })
    if (withdrawals === "BLOCKED") alarms.push({ kind: "WITHDRAWALS_BLOCKED", ...changed })
    const late = hasAuditor ? auditDelay(mode, yield* Clock.currentTimeMillis) : undefined
    if (late !== undefined) {
      const since = late.sinceMillis === null ? null : instant(late.sinceMillis)
      alarms.push({ kind: "AUDIT_LATE", symbol: null, since, reason: late.reason })
    }
    return [reading("venue", alarms)]
  })
})
