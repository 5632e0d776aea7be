/** Handles the operator endpoint that cancels a user's orders. */
import { AdminApi } from "@venue/api/admin/Api"
import type { Conflict, GatewayTimeout, ServiceUnavailable } from "@venue/api/Problem"
import * as SubmitRefusal from "@venue/api/trade/SubmitRefusal"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { noCost, type Submitted } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { Users } from "@venue/storage/access/Users"
import { Clock, Effect, Option } from "effect"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { makeFindSymbols, makeRecordRequest } from "./Operators.ts"

export const layer = group(
  AdminApi,
  "userOrders",
  Effect.fnUntraced(function* (handlers) {
    const findSymbols = yield* makeFindSymbols
    const record = yield* makeRecordRequest
    const submit = yield* makeSubmit
    const users = yield* Users
    const refusals = yield* apiProblems

    const symbolsOf = (
      submitted: Submitted
    ): Effect.Effect<ReadonlyArray<MarketSymbol>, Conflict | GatewayTimeout | ServiceUnavailable> => {
      switch (submitted._tag) {
        case "HandedOn":
          return Effect.succeed(submitted.symbols)
        case "Refused":
          return isUnknown(submitted.refusal._tag)
            ? Effect.fail(refusals.deadlinePassed())
            : Effect.fail(refusals.ordersNotCancelled(`Refused: ${SubmitRefusal.message(submitted.refusal)}.`))
        default:
          return Effect.fail(refusals.draining())
      }
    }

    return handlers.handle(
      "cancel",
      Effect.fnUntraced(
        function* ({ payload: { reason, symbols: given, user_id } }) {
          const userId = UserId.make(user_id.toLowerCase())
          if (Option.isNone(yield* users.find(userId))) {
            return yield* refusals.notFound("user", user_id, "find the user with GET /users")
          }
          const isAll = given.length === 1 && given[0] === "*"
          const symbols = isAll ? [everySymbol] : yield* findSymbols(given)
          yield* record("user_orders_cancel_asked", userId, { symbols: given.join(" "), reason })
          const accounts = yield* users.accounts(userId)
          const sent = yield* Effect.forEach(accounts, ({ accountId }) =>
            Effect.forEach(symbols, (symbol) => Effect.flatMap(submit(userId, accountId, symbol), symbolsOf))
          )
          return {
            user_id: userId,
            account_ids: accounts.map(({ accountId }) => accountId),
            symbols: [...new Set(sent.flat(2))].toSorted()
          }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)

/** Stands for all markets of the account. */
const everySymbol = MarketSymbol.make("")

/** Sends the cancel that a trader's own `cancel_all_orders` sends, and returns the desk's reply. */
const makeSubmit = Effect.gen(function* () {
  const desks = yield* DeskClient
  const ids = yield* Ids
  const { commandExpiryMillis } = yield* VenueSettings
  return Effect.fnUntraced(function* (userId: UserId, accountId: AccountId, symbol: MarketSymbol) {
    const expiresAtMillis = (yield* Clock.currentTimeMillis) + commandExpiryMillis
    const request = {
      _tag: "CancelAllOrders",
      commandId: ids.next(),
      expiresAtMillis,
      accountId,
      symbol,
      cause: "REQUEST"
    } as const
    return yield* Effect.callback<Submitted>((resume) =>
      desks.submit({ userId, cost: noCost, request }, (submitted) => resume(Effect.succeed(submitted)))
    )
  })
})

const isUnknown = (tag: string): boolean => tag === "DeskUnreachable" || tag === "Faulted"
