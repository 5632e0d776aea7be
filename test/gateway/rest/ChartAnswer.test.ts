/** Tests of the body of a chart response. */
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { ApiBaseUrl } from "@venue/gateway/http/ApiBaseUrl"
import * as ChartAnswer from "@venue/gateway/rest/ChartAnswer"
import * as Windows from "@venue/storage/history/Windows"
import { assert, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"

const minute = 60_000
const request = HttpServerRequest.fromWeb(new Request("http://venue.example/funding/GOLD-USD"))

it.effect("prints a rate below 1e-6 without an exponent", () =>
  Effect.gen(function* () {
    const windows = Windows.between(MarketSymbol.make("GOLD-USD"), 60, 0, 60 * minute)
    const answer = yield* ChartAnswer.make
    const { body } = yield* answer({ schema: "FundingHistoricResponseBody", member: "data", windows }, () =>
      Effect.succeed([{ symbol: "GOLD-USD", rate: 3.3e-7 }])
    ).pipe(Effect.orDie, Effect.provideService(HttpServerRequest.HttpServerRequest, request))
    assert(body._tag === "Uint8Array")
    expect(body.text).toContain('"data":[{"symbol":"GOLD-USD","rate":0.00000033}],"count":1}')
  }).pipe(Effect.provideService(ApiBaseUrl, "http://venue.example"))
)
