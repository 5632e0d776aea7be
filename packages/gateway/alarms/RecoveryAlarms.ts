/** Alarm about a database that lacks rows or restrictions which a witness has seen (I57). */
import { instant } from "@venue/api/Digits"
import { Recoveries } from "@venue/storage/recovery/Recoveries"
import { Effect, Option } from "effect"
import { obstacleOf } from "../admin/Recovery.ts"
import { reading } from "./AlarmSource.ts"

export const make = Effect.map(Recoveries, ({ pending, totals }) =>
  Effect.gen(function* () {
    const recovery = yield* pending
    if (Option.isNone(recovery)) return [reading("recovery", [])]
    const { foundAtMillis, recoveryId, state } = recovery.value
    const { missingRows, streams } = yield* totals(recoveryId)
    return [
      reading("recovery", [
        {
          kind: "BEHIND_WITNESS",
          symbol: null,
          since: instant(foundAtMillis),
          streams,
          missing_rows: missingRows,
          reason: obstacleOf(state)
        }
      ])
    ]
  })
)
