/** Handles `GET /nodes` of the operator interface. */
import { AdminApi } from "@venue/api/admin/Api"
import { instant } from "@venue/api/Digits"
import { NodeList } from "@venue/storage/nodes/NodeList"
import { Clock, Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "nodes",
  Effect.fnUntraced(function* (handlers) {
    const nodes = yield* NodeList
    const refusals = yield* apiProblems
    return handlers.handle(
      "list",
      Effect.fnUntraced(
        function* () {
          const all = yield* nodes
          const now = yield* Clock.currentTimeMillis
          const data = all.map(({ address, isLiving, isReady, kind, lastSeenAtMillis, leftAtMillis, ...node }) => ({
            name: node.name,
            kind,
            address,
            release: node.release,
            is_living: isLiving,
            is_ready: isReady,
            shards: node.shards,
            wanted: node.wanted,
            started_at: instant(node.startedAtMillis),
            last_seen_at: instant(lastSeenAtMillis),
            silent_seconds: Math.max(0, now - lastSeenAtMillis) / 1_000,
            left_at: leftAtMillis === null ? null : instant(leftAtMillis)
          }))
          return { data, count: data.length }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)
