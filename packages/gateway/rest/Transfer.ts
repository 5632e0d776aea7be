/** Handles `POST /user/transfer`. */
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { transferRefused } from "@venue/api/rest/Transfer"
import { microsOf } from "@venue/api/Usd"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { noCost } from "@venue/cluster/protocol/Desk"
import { AccountId } from "@venue/domain/AccountId"
import { Effect } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unconfirmed } from "../http/Refusal.ts"
import * as Repeatable from "../http/Repeatable.ts"

export const layer = group(
  Api,
  "transfer",
  Effect.fnUntraced(function* (handlers) {
    const desks = yield* DeskClient
    const ids = yield* Ids
    const refusals = yield* apiProblems
    return handlers.handle(
      "transfer",
      Effect.fnUntraced(
        function* ({ headers, payload, query: { dst_account_id, src_account_id } }) {
          const { userId } = yield* Caller
          const fromAccountId = AccountId.make(src_account_id.toLowerCase())
          const toAccountId = AccountId.make(dst_account_id.toLowerCase())
          const amount = BigInt(microsOf(payload.amount))
          const parameters = [fromAccountId, toAccountId, String(amount)]
          const request = Repeatable.requestOf(userId, "POST /user/transfer", headers, parameters)
          const transferId = request?.requestId ?? ids.next().text
          const transfer = { transferId, fromAccountId, toAccountId, amount, ...(request && { request }) }
          const isRepeat = yield* Repeatable.isRepeat(
            desks.ask(userId, (desk) => desk.Transfer({ userId, cost: noCost, ...transfer }))
          )
          return Repeatable.answer(undefined, isRepeat)
        },
        Effect.catchTags({
          InsufficientBalance: (refusal) => Effect.fail(transferRefused(refusals, refusal)),
          SameAccount: ({ accountId }) => Effect.fail(refusals.sameAccount(accountId)),
          // The response must not reveal whether another user's account exists.
          UnknownAccount: () =>
            Effect.fail(
              refusals.notPermitted(
                "Both accounts of a transfer, src_account_id and dst_account_id, must belong to the user."
              )
            ),
          RequestKeyReused: () => Effect.fail(refusals.keyReused()),
          // Cannot occur, because the schema rejects invalid amounts.
          InvalidAmount: Effect.die,
          MarketsBehind: () => Effect.fail(refusals.draining()),
          VenueCancelOnly: (closed) => Effect.fail(refusals.venueClosed(closed)),
          VenueHalted: (closed) => Effect.fail(refusals.venueClosed(closed)),
          ...unconfirmed(refusals)
        })
      )
    )
  })
)
