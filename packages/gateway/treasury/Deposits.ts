/** Handles `GET /deposits`. */
import { schemaUri } from "@venue/api/Problem"
import { Caller } from "@venue/api/rest/Caller"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { deposits as shown } from "@venue/api/treasury/Deposits"
import { pageOf } from "@venue/api/treasury/TreasuryPage"
import * as Count from "@venue/postgres/Count"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  TreasuryApi,
  "deposits",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const deposits = yield* Deposits
    const refusals = yield* apiProblems
    return handlers.handle(
      "deposits",
      Effect.fnUntraced(
        function* ({ query }) {
          const { userId } = yield* Caller
          const page = yield* Effect.fromResult(pageOf(refusals, query))
          const rows = yield* deposits.ofUser(userId, page)
          const count = yield* Count.total(page, rows.length, deposits.countOfUser(userId))
          return { $schema: schemaUri(baseUrl, "DepositsResponseBody"), count, data: rows.flatMap(shown) }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)
