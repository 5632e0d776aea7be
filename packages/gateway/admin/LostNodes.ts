/** Handles `POST /nodes/dismiss`. */
import { AdminApi } from "@venue/api/admin/Api"
import { Transaction } from "@venue/postgres/Transaction"
import { LostNodes } from "@venue/storage/nodes/LostNodes"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "lostNodes",
  Effect.fnUntraced(function* (handlers) {
    const nodes = yield* LostNodes
    const recordRequest = yield* makeRecordRequest
    const refusals = yield* apiProblems
    const transaction = yield* Transaction
    return handlers.handle(
      "dismiss",
      Effect.fnUntraced(
        function* ({ payload: { name, reason } }) {
          yield* transaction.run(Effect.andThen(nodes.dismiss(name), recordRequest("node_dismissed", name, { reason })))
        },
        Effect.catchTags({
          DatabaseUnavailable: () => Effect.fail(refusals.draining()),
          NoSuchNode: ({ name }) =>
            Effect.fail(refusals.notFound("node", name, "list the lost nodes with GET /alarms")),
          NodeServes: ({ name }) => Effect.fail(refusals.nodeServes(name))
        })
      )
    )
  })
)
