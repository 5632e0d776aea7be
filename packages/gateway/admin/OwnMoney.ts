/** Handles `POST /own-money`: records and audits a transfer of the venue's own money to or from a rail. */
import { AdminApi } from "@venue/api/admin/Api"
import { Operator } from "@venue/api/admin/Operator"
import { microsOf } from "@venue/api/Usd"
import { Transaction } from "@venue/postgres/Transaction"
import { Audit } from "@venue/storage/access/Audit"
import { OwnMoney } from "@venue/storage/treasury/OwnMoney"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"

export const layer = group(
  AdminApi,
  "ownMoney",
  Effect.fnUntraced(function* (handlers) {
    const audit = yield* Audit
    const { move } = yield* OwnMoney
    const transaction = yield* Transaction
    const refusals = yield* apiProblems
    return handlers.handle(
      "tell",
      Effect.fnUntraced(
        function* ({ payload: { amount, own_money_id, rail, reason } }) {
          const id = own_money_id.toLowerCase()
          const result = yield* move({ id, rail, amount: BigInt(microsOf(amount)), reason })
          if (result === "other") return yield* refusals.ownMoneyExists(id)
          const { name } = yield* Operator
          const facts = { ownMoneyId: id, amount, reason }
          if (result === "new") yield* audit.record({ action: "own_money_told", actor: name, subject: rail, facts })
          return { own_money_id: id, rail, amount }
        },
        transaction.run,
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)
