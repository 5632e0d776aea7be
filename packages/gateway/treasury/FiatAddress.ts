/** Handles `GET /fiat-address`. */
import { schemaUri } from "@venue/api/Problem"
import { together } from "@venue/api/Together"
import { Caller } from "@venue/api/rest/Caller"
import { TreasuryApi } from "@venue/api/treasury/Api"
import * as Word from "@venue/api/treasury/Word"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as SimulatedMark from "./SimulatedMark.ts"

export const layer = group(
  TreasuryApi,
  "fiatAddress",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const messages = yield* DepositMessages
    const rails = yield* RailProviders
    const refusals = yield* apiProblems
    const simulated = yield* SimulatedMark.make
    return handlers.handle(
      "fiatAddress",
      Effect.fnUntraced(
        function* ({ query }) {
          const { userId } = yield* Caller
          const { rail } = yield* Effect.fromResult(
            together({
              currency: Word.read(refusals, Word.currency, "query.currency", query.currency),
              rail: Word.read(refusals, Word.depositRail, "query.payment_rail", query.payment_rail)
            })
          )
          if (!rails.has("BANK")) return yield* refusals.railNotConnected("a bank")
          const { message } = yield* messages.provide(userId, rail)
          return {
            $schema: schemaUri(baseUrl, "FiatAddressResponseBody"),
            deposit_message: message,
            ...simulated("BANK")
          }
        },
        Effect.catchTag("DatabaseUnavailable", () => Effect.fail(refusals.draining()))
      )
    )
  })
)
