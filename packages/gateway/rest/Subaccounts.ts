/** Answers `GET /user/subaccounts`. */
import { problems, schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { isPrimary } from "@venue/domain/AccountId"
import { Users } from "@venue/storage/access/Users"
import { Effect } from "effect"
import { group } from "../http/Endpoints.ts"

export const layer = (baseUrl: string) =>
  group(
    Api,
    "subaccounts",
    Effect.fnUntraced(function* (handlers) {
      const users = yield* Users
      return handlers.handle(
        "subaccounts",
        Effect.fnUntraced(
          function* () {
            const { userId } = yield* Caller
            const accounts = yield* users.accounts(userId)
            return {
              $schema: schemaUri(baseUrl, "ListSubaccountsResponseBody"),
              account_ids: accounts
                .map(({ accountId }) => accountId)
                .filter((accountId) => !isPrimary(accountId, userId))
            }
          },
          Effect.catchTag("DatabaseUnavailable", () => Effect.fail(problems(baseUrl).draining()))
        )
      )
    })
  )
