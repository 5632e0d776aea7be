/** Alarm about a database that lacks rows or restrictions which a witness has seen (I57). */
import type { Alarm } from "@venue/api/admin/Alarms"
import { instant } from "@venue/api/Digits"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { Effect, Option } from "effect"
import { obstacleOf } from "./Recovery.ts"

export const make = Effect.map(Recoveries, ({ pending, totals }) =>
  Effect.gen(function* () {
    const recovery = yield* pending
    if (Option.isNone(recovery)) return []
    const { foundAtMillis, recoveryId, state } = recovery.value
    const { missingRows, streams } = yield* totals(recoveryId)
    const alarm: typeof Alarm.Type = {
      kind: "BEHIND_WITNESS",
      symbol: null,
      since: instant(foundAtMillis),
      streams,
      missing_rows: missingRows,
      reason: obstacleOf(state)
    }
    return [alarm]
  })
)
