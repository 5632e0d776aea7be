/** Handles the operator endpoints for liquidity providers: list and appoint. */
import { AdminApi } from "@venue/api/admin/Api"
import { liquidityProvider } from "@venue/api/admin/Providers"
import { microsOf } from "@venue/api/Usd"
import { Accounts } from "@venue/auth/session/Accounts"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { AccountId } from "@venue/domain/AccountId"
import { Effect, Option } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeRecordRequest, makeFindSymbols, makeQueryDesks } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "providers",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const recordRequest = yield* makeRecordRequest
    const desks = yield* DeskClient
    const findSymbols = yield* makeFindSymbols
    const queryDesks = yield* makeQueryDesks
    const refusals = yield* apiProblems

    const noSuchAccount = (accountId: string) =>
      Effect.fail(refusals.notFound("account", accountId, "send the account_id of an existing account"))

    return handlers
      .handle("list", () =>
        queryDesks((desk) => desk.Providers()).pipe(
          Effect.map((providers) => {
            const data = providers.flat().map(liquidityProvider)
            return { data, count: data.length }
          }),
          Effect.mapError(() => refusals.draining())
        )
      )
      .handle(
        "appoint",
        Effect.fnUntraced(
          function* ({ payload: { account_id, limit, reason, symbols: given } }) {
            const symbols = yield* findSymbols(given)
            const accountId = AccountId.make(account_id.toLowerCase())
            const owner = yield* accounts.ownerOf(accountId)
            if (Option.isNone(owner)) return yield* noSuchAccount(accountId)
            const userId = owner.value
            yield* recordRequest("provider_limit_asked", userId, { accountId, symbols: given.join(" "), limit, reason })
            const provider = { userId, cost: noCost, accountId, symbols, limit: microsOf(limit) }
            // A repeat of the same limit changes nothing, so the call is retried after an unknown outcome.
            yield* Effect.retry(
              desks.ask(userId, (desk) => desk.AppointProvider(provider)),
              { while: ({ _tag }) => _tag === "Unavailable", times: 2 }
            )
            return { account_id: accountId, symbols, limit }
          },
          Effect.catchTags({
            UnknownAccount: ({ accountId }) => noSuchAccount(accountId),
            UnknownSymbol: ({ symbol }) => Effect.fail(refusals.unknownSymbol(symbol)),
            DatabaseUnavailable: () => Effect.fail(refusals.draining()),
            RateLimited: () => Effect.fail(refusals.draining()),
            Unavailable: () => Effect.fail(refusals.deadlinePassed())
          })
        )
      )
  })
)
