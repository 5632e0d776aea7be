/** Handles `/user/subaccounts`, its `/balance` and `/equity`, and `GET /user/public-accounts`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { accountBalance } from "@venue/api/rest/Subaccounts"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { noCost } from "@venue/cluster/protocol/Desk"
import { AccountId, isPrimary, primaryAccountOf } from "@venue/domain/AccountId"
import { Profiles } from "@venue/storage/access/Profiles"
import { Users } from "@venue/storage/access/Users"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered, unconfirmed } from "../http/Refusal.ts"
import * as Repeatable from "../http/Repeatable.ts"

export const layer = group(
  Api,
  "subaccounts",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const desks = yield* DeskClient
    const ids = yield* Ids
    const profiles = yield* Profiles
    const users = yield* Users
    const refusals = yield* apiProblems
    const balances = Effect.gen(function* () {
      const { userId } = yield* Caller
      const all = yield* desks.balances({ userId, accountId: primaryAccountOf(userId), cost: noCost })
      return {
        $schema: schemaUri(baseUrl, "SubaccountBalancesResponseBody"),
        accounts: all.map((balance) => accountBalance(userId, balance))
      }
    }).pipe(Effect.catchTags(unanswered(refusals)))
    const unavailable = () => Effect.fail(refusals.draining())

    return handlers
      .handle("subaccountBalances", () => balances)
      .handle("subaccountEquity", () => balances)
      .handle(
        "publicAccounts",
        Effect.fnUntraced(
          function* () {
            const { userId } = yield* Caller
            const { isPublic } = yield* profiles.find(userId)
            const accounts = (yield* users.accounts(userId)).map(({ accountId }) => ({
              account_id: accountId,
              is_master: isPrimary(accountId, userId),
              is_public: isPublic
            }))
            return { $schema: schemaUri(baseUrl, "PublicAccountsResponseBody"), accounts }
          },
          Effect.catchTag("DatabaseUnavailable", unavailable)
        )
      )
      .handle(
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
          Effect.catchTag("DatabaseUnavailable", unavailable)
        )
      )
      .handle(
        "createSubaccount",
        Effect.fnUntraced(
          function* ({ headers }) {
            const { userId } = yield* Caller
            const request = Repeatable.requestOf(userId, "POST /user/subaccounts", headers, [])
            const accountId = AccountId.make(request?.requestId ?? ids.next().text)
            const open = { userId, cost: noCost, accountId, ...(request && { request }) }
            const isRepeat = yield* Repeatable.isRepeat(desks.ask(userId, (desk) => desk.OpenAccount(open)))
            const $schema = schemaUri(baseUrl, "CreateSubaccountResponseBody")
            return Repeatable.answer({ $schema, account_id: accountId }, isRepeat)
          },
          Effect.catchTags({
            TooManyAccounts: ({ limit }) => Effect.fail(refusals.tooManySubaccounts(limit)),
            RequestKeyReused: () => Effect.fail(refusals.keyReused()),
            ...unconfirmed(refusals)
          })
        )
      )
  })
)
