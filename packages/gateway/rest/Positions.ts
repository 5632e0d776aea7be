/** Handles `GET /user/positions`. */
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { balancePublic, positionPublic, type PositionsBalanceResponseBody } from "@venue/api/rest/Positions"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { type AccountSummary, noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Holding } from "@venue/domain/Balance"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"

export const layer = group(
  Api,
  "positions",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const desks = yield* DeskClient
    const { instruments } = yield* VenueSettings
    const refusals = yield* apiProblems
    return handlers.handle(
      "positions",
      Effect.fnUntraced(
        function* () {
          const { accountId, userId } = yield* Caller
          return body(baseUrl, instruments, yield* desks.summary({ userId, accountId, cost: noCost }))
        },
        Effect.catchTags(unanswered(refusals))
      )
    )
  })
)

const body = (
  baseUrl: string,
  instruments: ReadonlyMap<MarketSymbol, Instrument>,
  summary: AccountSummary
): typeof PositionsBalanceResponseBody.Type => ({
  $schema: schemaUri(baseUrl, "PositionsBalanceResponseBody"),
  ...accountBody(instruments, summary)
})

/** Converts an account's positions and balance to their wire format. */
export const accountBody = (
  instruments: ReadonlyMap<MarketSymbol, Instrument>,
  { balance, holdings }: AccountSummary
) => ({
  positions: holdings.filter(isShown).map((holding) => positionPublic(instruments.get(holding.symbol)!, holding)),
  balance: balancePublic(balance)
})

const isShown = ({ openOrders, quantityLots, realised }: Holding): boolean =>
  quantityLots !== 0 || openOrders !== 0 || realised !== 0
