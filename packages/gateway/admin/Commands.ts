/** Handles the operator endpoints for credits, accounts at risk, and the proof that the books balance. */
import { AdminApi } from "@venue/api/admin/Api"
import { Operator } from "@venue/api/admin/Operator"
import { microsOf } from "@venue/api/Usd"
import { Accounts } from "@venue/auth/session/Accounts"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { Ids } from "@venue/cluster/clients/Ids"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { AccountId } from "@venue/domain/AccountId"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Effect, Option } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as Repeatable from "../http/Repeatable.ts"
import { makeQueryDesks } from "./Operators.ts"
import * as Proof from "./Proof.ts"
import * as RailProof from "./RailProof.ts"
import * as Risk from "./Risk.ts"

export const layer = group(
  AdminApi,
  "operator",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const desks = yield* DeskClient
    const ids = yield* Ids
    const markets = yield* MarketClient
    const tables = yield* ReadTables
    const railProof = yield* RailProof.make
    const queryDesks = yield* makeQueryDesks
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems

    const noSuchAccount = (accountId: string) =>
      Effect.fail(refusals.notFound("account", accountId, "send the account_id of an existing account"))

    return handlers
      .handle(
        "credits",
        Effect.fnUntraced(
          function* ({ headers, payload: { account_id, amount, reason } }) {
            const accountId = AccountId.make(account_id.toLowerCase())
            const owner = yield* accounts.ownerOf(accountId)
            if (Option.isNone(owner)) return yield* noSuchAccount(accountId)
            const userId = owner.value
            const micros = BigInt(microsOf(amount))
            const request = Repeatable.requestOf(userId, "POST /credits", headers, [accountId, String(micros), reason])
            const creditId = request?.requestId ?? ids.next().text
            const { name: by } = yield* Operator
            const credit = { creditId, accountId, amount: micros, reason, by, ...(request && { request }) }
            const isRepeat = yield* Repeatable.isRepeat(
              desks.ask(userId, (desk) => desk.Credit({ userId, cost: noCost, ...credit }))
            )
            return Repeatable.answer({ credit_id: creditId, account_id: accountId, amount }, isRepeat)
          },
          Effect.catchTags({
            UnknownAccount: ({ accountId }) => noSuchAccount(accountId),
            InsufficientBalance: () =>
              Effect.fail(refusals.unfit("body.amount", "Expected at most the account's available balance")),
            InvalidAmount: () => Effect.fail(refusals.unfit("body.amount", "Expected an amount other than 0")),
            RequestKeyReused: () => Effect.fail(refusals.keyReused()),
            DatabaseUnavailable: () => Effect.fail(refusals.draining()),
            RateLimited: () => Effect.fail(refusals.draining()),
            Unavailable: () => Effect.fail(refusals.deadlinePassed())
          })
        )
      )
      .handle("risk", () => Effect.mapError(Risk.of(queryDesks((desk) => desk.AtRisk())), () => refusals.draining()))
      .handle("proof", () =>
        Effect.zipWith(Proof.of(instruments, markets, tables), railProof, (sums, rails) => ({
          ...sums,
          ...rails
        })).pipe(Effect.mapError(() => refusals.draining()))
      )
  })
)
