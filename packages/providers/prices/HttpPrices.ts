/** A source that is asked for its prices again and again. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import { textOf, whyOf } from "../HttpAnswer.ts"
import type { Contracts, PriceSource } from "./PriceSource.ts"
import { type Fields, read } from "./Prints.ts"
import * as SourceState from "./SourceState.ts"

export interface HttpPricesOptions {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly everyMillis: number
  readonly fields: Fields
  readonly symbols: ReadonlyMap<MarketSymbol, Contracts>
}

export const make = Effect.fn("HttpPrices.make")(function* (
  options: HttpPricesOptions
): Effect.fn.Return<PriceSource, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  const { everyMillis, fields, name, symbols } = options
  const headers = Object.fromEntries(
    Object.entries(options.headers).map(([header, value]) => [header, Redacted.value(value)])
  )
  const request = HttpClientRequest.get(options.url).pipe(HttpClientRequest.setHeaders(headers))
  const ask = client.execute(request).pipe(
    Effect.flatMap(HttpClientResponse.filterStatusOk),
    Effect.flatMap((response) => textOf(response, maxBytes)),
    Effect.timeout(deadlineMillis),
    Effect.map((text) => read(fields, text))
  )
  return {
    name,
    symbols,
    run: ({ tell }) => {
      const state = SourceState.make(name)
      const poll = ask.pipe(
        Effect.flatMap((prints) => {
          for (const print of prints) tell(print)
          return prints.length === 0 ? state.failed("its answer holds no price") : state.works
        }),
        Effect.catch((error) => state.failed(whyOf(error)))
      )
      return Effect.forever(Effect.andThen(poll, Effect.sleep(everyMillis)))
    }
  }
})

const maxBytes = 1_048_576
const deadlineMillis = 5_000
