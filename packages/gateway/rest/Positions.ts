/** Answers `GET /user/positions`. */
import { problems, schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { balancePublic, positionPublic } from "@venue/api/rest/Positions"
import { Desks } from "@venue/cluster/Link"
import type { Cost } from "@venue/cluster/protocol/Desk"
import { Venue } from "@venue/cluster/protocol/Venue"
import type { Holding } from "@venue/domain/Trader"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { rateExceeded, unavailable } from "./Refusal.ts"

/** REST has buckets of its own, so a desk takes nothing from those of the socket. */
export const noCost: Cost = { bucket: "general", weight: 0 }

export const layer = (baseUrl: string) =>
  HttpApiBuilder.group(
    Api,
    "positions",
    Effect.fnUntraced(function* (handlers) {
      const desks = yield* Desks
      const { instruments } = yield* Venue
      const refusals = problems(baseUrl)
      return handlers.handle(
        "positions",
        Effect.fnUntraced(
          function* () {
            const { accountId, userId } = yield* Caller
            const { balance, holdings } = yield* desks.standing({ userId, accountId, cost: noCost })
            return {
              $schema: schemaUri(baseUrl, "PositionsBalanceResponseBody"),
              positions: holdings
                .filter(isShown)
                .map((holding) => positionPublic(instruments.get(holding.symbol)!, holding)),
              balance: balancePublic(balance)
            }
          },
          Effect.catchTags({
            Unavailable: () => unavailable(baseUrl),
            RateLimited: (limited) => rateExceeded(refusals, limited)
          })
        )
      )
    })
  )

const isShown = ({ openOrders, quantity, realised }: Holding): boolean =>
  quantity !== 0 || openOrders !== 0 || realised !== 0
