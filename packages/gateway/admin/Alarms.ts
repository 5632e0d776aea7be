/** Handles `GET /alarms`. */
import { AdminApi } from "@venue/api/admin/Api"
import { instant } from "@venue/api/Digits"
import { Clock, Effect } from "effect"
import * as CurrentAlarms from "../alarms/CurrentAlarms.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "alarms",
  Effect.fnUntraced(function* (handlers) {
    const current = yield* CurrentAlarms.make
    return handlers.handle(
      "list",
      Effect.fnUntraced(function* () {
        const { readings, unknownKinds } = yield* current
        const data = CurrentAlarms.alarmsOf(readings)
        return { data, count: data.length, unknown_kinds: unknownKinds, at: instant(yield* Clock.currentTimeMillis) }
      })
    )
  })
)
