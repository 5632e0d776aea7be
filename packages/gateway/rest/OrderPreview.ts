/** Handles `POST /user/orders/preview`. */
import { previewBody } from "@venue/api/OrderPreview"
import { schemaUri } from "@venue/api/Problem"
import { Api } from "@venue/api/rest/Api"
import { Caller } from "@venue/api/rest/Caller"
import { placementOf } from "@venue/api/rest/OrderPreview"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { noCost } from "@venue/cluster/protocol/Desk"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { PreviewRequest } from "@venue/domain/Preview"
import { Clock, Effect } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import * as BuilderAppointment from "../BuilderAppointment.ts"
import { denoised } from "../NoisyDecimals.ts"
import { group } from "../http/Endpoints.ts"
import { unanswered } from "../http/Refusal.ts"

export const layer = group(
  Api,
  "orderPreview",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const desks = yield* DeskClient
    const ids = yield* Ids
    const { commandExpiryMillis, instruments } = yield* VenueSettings
    const earning = yield* BuilderAppointment.earningCode
    const refusals = yield* apiProblems
    return handlers.handle(
      "previewOrder",
      Effect.fnUntraced(
        function* ({ payload, request: { text } }) {
          const { accountId, userId } = yield* Caller
          const symbol = MarketSymbol.make(payload.symbol.toUpperCase())
          const instrument = instruments.get(symbol)
          const sent = yield* Effect.orDie(text)
          const common = {
            commandId: ids.next(),
            expiresAtMillis: (yield* Clock.currentTimeMillis) + commandExpiryMillis,
            accountId,
            symbol,
            clientOrderId: "",
            builderCode: yield* earning(payload.builder_code?.toLowerCase() ?? "")
          }
          const request: PreviewRequest =
            "close_position" in payload
              ? { _tag: "ClosePosition", ...common }
              : denoised({ _tag: "PlaceOrder", ...common, ...placementOf(payload) }, instrument, sent)
          const result = yield* desks.preview({ userId, accountId, cost: noCost, request })
          if (result._tag === "Refused") {
            const { refusal } = result
            if (refusal._tag === "VenueHalted" || refusal._tag === "VenueCancelOnly")
              return yield* refusals.venueClosed(refusal)
            return yield* refusal._tag === "UnknownAccount" ? refusals.notPermitted() : refusals.draining()
          }
          const known =
            result._tag === "BadSymbol" || instrument === undefined ? undefined : { instrument, preview: result }
          return {
            $schema: schemaUri(baseUrl, "PreviewOrderResponseBody"),
            ...previewBody(accountId, request, known)
          }
        },
        Effect.catchTags({
          ...unanswered(refusals),
          DatabaseUnavailable: () => Effect.fail(refusals.draining())
        })
      )
    )
  })
)
