/** Price source polled over HTTP. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect, Redacted } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { hiding, isRateSentence, refusalOf, retryAfterMillis, statusReason, textOf, whyOf } from "../HttpAnswer.ts"
import type { Contracts, PriceSource } from "./PriceSource.ts"
import { type Fields, readCurrent } from "./Prints.ts"
import * as SourceState from "./SourceState.ts"

export interface HttpPricesOptions {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly everyMillis: number
  readonly fields: Fields
  readonly symbols: ReadonlyMap<MarketSymbol, Contracts>
  readonly unchangedMillis?: number
}

export const make = Effect.fn("HttpPrices.make")(function* (
  options: HttpPricesOptions
): Effect.fn.Return<PriceSource, never, HttpClient.HttpClient> {
  const client = yield* HttpClient.HttpClient
  const { everyMillis, fields, name, symbols, unchangedMillis } = options
  const headers = Object.fromEntries(
    Object.entries(options.headers).map(([header, value]) => [header, Redacted.value(value)])
  )
  const request = HttpClientRequest.get(options.url).pipe(HttpClientRequest.setHeaders(headers))
  const hide = hiding(options.url, ...Object.values(headers))
  const ask = client.execute(request).pipe(
    Effect.flatMap((response) =>
      Effect.map(textOf(response, maxBytes), (text) => ({
        status: response.status,
        text,
        retryMillis: retryAfterMillis(response)
      }))
    ),
    Effect.timeout(deadlineMillis)
  )
  const state = SourceState.make(name, hide)
  return {
    name,
    symbols,
    ...(unchangedMillis === undefined ? {} : { unchangedMillis }),
    fault: state.fault,
    run: ({ tell }) => {
      let pauseMillis = everyMillis
      const failed = (reason: string, nextMillis = everyMillis) =>
        Effect.andThen(
          Effect.sync(() => void (pauseMillis = nextMillis)),
          state.failed(reason)
        )
      const poll = Effect.gen(function* () {
        const { retryMillis, status, text } = yield* ask
        const { fault, prints } = readCurrent(fields, text, yield* Clock.currentTimeMillis)
        const sentence = refusalOf(text, hide)
        if (
          status < 200 ||
          status > 299 ||
          (prints.length === 0 && sentence !== undefined && isRateSentence(sentence))
        ) {
          const isRate = status === 429 || (sentence !== undefined && isRateSentence(sentence))
          const slower = Math.min(longestPauseMillis, Math.max(pauseMillis * 2, retryMillis))
          return yield* failed(statusReason(status, sentence), isRate ? slower : everyMillis)
        }
        pauseMillis = everyMillis
        for (const print of prints) tell(print)
        return yield* fault === undefined ? state.works : state.failed(fault)
      }).pipe(Effect.catch((error) => failed(whyOf(error))))
      return Effect.forever(
        Effect.andThen(
          poll,
          Effect.suspend(() => Effect.sleep(pauseMillis))
        )
      )
    }
  }
})

const maxBytes = 1_048_576
const deadlineMillis = 5_000
/** Longest polling interval after rate refusals, in milliseconds. */
const longestPauseMillis = 60_000
