/** Handles `POST /user/leverage`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { leverageRefused } from "@venue/api/rest/Leverage"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { LeverageInUse, NotALevel, UnknownSymbol } from "@venue/domain/Trader"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unconfirmed } from "../http/Refusal.ts"

export const layer = group(
  Api,
  "leverage",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const desks = yield* DeskClient
    const refusals = yield* apiProblems
    const refused = (refusal: UnknownSymbol | NotALevel | LeverageInUse) =>
      Effect.fail(leverageRefused(refusals, refusal))
    return handlers.handle(
      "setLeverage",
      Effect.fnUntraced(
        function* ({ payload: { leverage, symbol } }) {
          const { accountId, userId } = yield* Caller
          const set = { userId, cost: noCost, accountId, symbol: MarketSymbol.make(symbol.toUpperCase()), leverage }
          yield* desks.ask(userId, (desk) => desk.SetLeverage(set))
          return { $schema: schemaUri(baseUrl, "SetUserLeverageResponseBody"), leverage }
        },
        Effect.catchTags({
          UnknownSymbol: refused,
          NotALevel: refused,
          LeverageInUse: refused,
          UnknownAccount: () => Effect.fail(refusals.notPermitted()),
          ...unconfirmed(refusals)
        })
      )
    )
  })
)
