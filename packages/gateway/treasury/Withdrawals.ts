/** Handles `GET /withdrawals`. */
import { schemaUri } from "@venue/api/Problem"
import { Caller } from "@venue/api/rest/Caller"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { pageOf } from "@venue/api/treasury/TreasuryPage"
import { withdrawal } from "@venue/api/treasury/Withdrawals"
import * as Count from "@venue/postgres/Count"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  TreasuryApi,
  "withdrawals",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const accounts = yield* BankAccounts
    const withdrawals = yield* Withdrawals
    const refusals = yield* apiProblems
    return handlers.handle(
      "withdrawals",
      Effect.fnUntraced(
        function* ({ query }) {
          const { userId } = yield* Caller
          const page = yield* Effect.fromResult(pageOf(refusals, query))
          const rows = yield* withdrawals.ofUser(userId, page)
          const banks = rows.filter(({ rail }) => rail === "BANK").map(({ destination }) => destination)
          const linked = yield* accounts.named([...new Set(banks)])
          // A bank account is shown only by its last digits.
          const masks = new Map(linked.map(({ accountId, masked }) => [accountId, masked]))
          const $schema = schemaUri(baseUrl, "WithdrawalsResponseBody")
          const data = rows.map((row) => withdrawal(row, masks.get(row.destination) ?? row.destination))
          const count = yield* Count.total(page, rows.length, withdrawals.countOfUser(userId))
          return { $schema, count, data }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)
