/** One request to a node within its deadline. Errors contain URLs and keys, so only a sanitised sentence is kept. */
import { Effect, Redacted, Schema } from "effect"
import { type HttpClient, HttpClientRequest } from "effect/http"
import {
  AnswerTooLarge,
  hiding,
  isRateSentence,
  refusalOf,
  retryAfterMillis as retryAfterOf,
  statusReason,
  textOf,
  whyOf
} from "../../HttpAnswer.ts"
import * as Pace from "../../Pace.ts"

export interface TronHttpOptions {
  readonly url: Redacted.Redacted
  readonly apiKey: Redacted.Redacted | undefined
}

export class TronFault extends Schema.TaggedError<TronFault>()("TronFault", {
  reason: Schema.String,
  kind: Schema.Literals(["fault", "large", "rate"]),
  retryAfterMillis: Schema.Int
}) {}

export const make = (client: HttpClient.HttpClient, { apiKey, url }: TronHttpOptions) => {
  const base = Redacted.value(url).replace(/\/$/, "")
  const key = apiKey === undefined ? undefined : Redacted.value(apiKey)
  const headers = key === undefined ? {} : { "TRON-PRO-API-KEY": key }
  const hide = hiding(base, ...(key === undefined ? [] : [key]))
  const pace = Pace.make<TronFault>({
    rateOf: ({ kind, retryAfterMillis }) => (kind === "rate" ? { retryAfterMillis } : undefined)
  })
  const fault = (reason: string, kind: TronFault["kind"] = "fault", retryAfterMillis = 0) =>
    new TronFault({ reason: hide(reason), kind, retryAfterMillis })

  const exchange = (path: string, body: object, maxBytes: number) =>
    client
      .execute(
        HttpClientRequest.post(`${base}${path}`).pipe(
          HttpClientRequest.bodyText(JSON.stringify(body), "application/json"),
          HttpClientRequest.setHeaders(headers)
        )
      )
      .pipe(
        Effect.flatMap((response) =>
          Effect.map(textOf(response, maxBytes), (text) => ({
            status: response.status,
            text,
            retryAfterMillis: retryAfterOf(response)
          }))
        ),
        Effect.timeout(deadline),
        Effect.mapError((error) => fault(whyOf(error), Schema.is(AnswerTooLarge)(error) ? "large" : "fault"))
      )

  const refusalIn = ({ retryAfterMillis, status, text }: Exchanged, otherwise: string): TronFault => {
    const sentence = refusalOf(text, hide)
    const isRate = status === 429 || (sentence !== undefined && isRateSentence(sentence))
    const isJson = /^\s*\{/.test(text) && sentence !== undefined
    const message = isJson ? `the node rejected the request: ${sentence}` : otherwise
    return fault(status === 200 ? message : statusReason(status, sentence), isRate ? "rate" : "fault", retryAfterMillis)
  }

  /** A body that matches `refused` is returned as a response and not as a failure, whatever its status below 500. */
  const send = <A, I, B = never, J = unknown>(
    path: string,
    body: object,
    answer: Schema.Codec<A, I>,
    maxBytes: number,
    refused?: Schema.Codec<B, J>
  ): Effect.Effect<A | B, TronFault> => {
    const asAnswer = Schema.decodeUnknownEffect(Schema.fromJsonString(answer))
    const asRefusal = refused === undefined ? undefined : Schema.decodeUnknownEffect(Schema.fromJsonString(refused))
    const read = (exchanged: Exchanged): Effect.Effect<A | B, TronFault> => {
      const { status, text } = exchanged
      const failed = (why: string) => Effect.fail(refusalIn(exchanged, why))
      const asFailure =
        asRefusal === undefined || status >= 500
          ? failed
          : (why: string) => Effect.catch(asRefusal(text), () => failed(why))
      return status === 200 ? Effect.catch(asAnswer(text), (error) => asFailure(whyOf(error))) : asFailure("")
    }
    return pace.run(Effect.flatMap(exchange(path, body, maxBytes), read))
  }
  return { hide, send }
}

interface Exchanged {
  readonly status: number
  readonly text: string
  readonly retryAfterMillis: number
}

const deadline = "10 seconds"
