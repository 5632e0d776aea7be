/** A source that is asked for its prices again and again. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Effect, Redacted, Schema, Stream } from "effect"
import { HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
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
    Effect.flatMap(textOf),
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

class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {}) {
  override get message() {
    return `its answer is larger than ${maxBytes} bytes`
  }
}

/** Leaves the address out: it may hold a key. */
const whyOf = (error: HttpClientError.HttpClientError | { readonly message: string }): string => {
  if (!HttpClientError.isHttpClientError(error)) return error.message
  const { reason, response } = error
  const cause = "cause" in reason ? reason.cause : undefined
  if (cause instanceof Error)
    return cause.message === "" ? String((cause as NodeJS.ErrnoException).code) : cause.message
  return response === undefined ? reason._tag : `it answers with status ${response.status}`
}

/** Reads no more of an answer than a list of prices has reason to be. */
const textOf = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.suspend(() => {
    let bytes = 0
    return response.stream.pipe(
      Stream.tap((chunk) => ((bytes += chunk.length) > maxBytes ? Effect.fail(new AnswerTooLarge()) : Effect.void)),
      Stream.decodeText(),
      Stream.mkString
    )
  })

const maxBytes = 1_048_576
const deadlineMillis = 5_000
