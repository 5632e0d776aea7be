/** Handles `GET /audit` of the operator interface. */
import { AdminApi } from "@venue/api/admin/Api"
import { instant } from "@venue/api/Digits"
import { schemaUri } from "@venue/api/Problem"
import { pageOf } from "@venue/api/treasury/TreasuryPage"
import * as Count from "@venue/postgres/Count"
import { Audit } from "@venue/storage/access/Audit"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "audit",
  Effect.fnUntraced(function* (handlers) {
    const audit = yield* Audit
    const baseUrl = yield* ApiBaseUrl
    const record = yield* makeRecordRequest
    const refusals = yield* apiProblems
    return handlers.handle(
      "list",
      Effect.fnUntraced(
        function* ({ query }) {
          const { action, actor, end: endMillis, start: startMillis, subject } = query
          const page = yield* Effect.fromResult(pageOf(refusals, query))
          if (startMillis !== undefined && endMillis !== undefined && startMillis > endMillis) {
            return yield* refusals.rangeNotAllowed(startMillis, endMillis)
          }
          const filter = {
            ...(action !== undefined && { action }),
            ...(actor !== undefined && { actor }),
            ...(subject !== undefined && { subject }),
            startMillis,
            endMillis
          }
          yield* record("audit_read", subject ?? "", {
            action: action ?? null,
            actor: actor ?? null,
            offset: page.offset
          })
          const rows = yield* audit.page(filter, page)
          const count = yield* Count.total(page, rows.length, audit.count(filter))
          const data = rows.map(({ recordedAtMillis, ...deed }) => ({ at: instant(recordedAtMillis), ...deed }))
          return { $schema: schemaUri(baseUrl, "AuditEntries"), data, count }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)
