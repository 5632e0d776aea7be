/** One JSON-RPC request over HTTP. The body has the results or the refusal, whatever the status. */
import { Effect, Option, Predicate, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import {
  AnswerTooLarge,
  hiding,
  refusalOf,
  retryAfterMillis as retryAfterOf,
  statusReason,
  textOf,
  whyOf
} from "../../HttpAnswer.ts"
import { kindOf, kindOfStatus, type RpcError, RpcFault } from "./RpcFault.ts"

export interface RpcAnswer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

export const make = (client: HttpClient.HttpClient, name: string, url: Redacted.Redacted) => {
  const post = HttpClientRequest.post(Redacted.value(url))
  const hide = hiding(Redacted.value(url))
  const fault = (reason: string, kind: RpcFault["kind"] = "fault", retryAfterMillis = 0) =>
    new RpcFault({ endpoint: name, reason: hide(reason), kind, retryAfterMillis })
  const refusal = (error: RpcError, status: number, retryAfterMillis: number) =>
    fault(
      `the endpoint rejected the request: ${error.message} (${error.code ?? status})`,
      kindOf(error, status),
      retryAfterMillis
    )

  const exchange = (body: Schema.Json, maxBytes: number) =>
    client.execute(HttpClientRequest.bodyJsonUnsafe(post, body)).pipe(
      Effect.flatMap((response) =>
        Effect.map(textOf(response, maxBytes), (text) => ({
          status: response.status,
          text,
          retryAfterMillis: retryAfterOf(response)
        }))
      ),
      Effect.timeout(deadline),
      Effect.mapError((error) => fault(whyOf(error), Schema.is(AnswerTooLarge)(error) ? "large" : "fault")),
      // A trace span for the request would show the URL.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
    )

  /** Sends once. Fails if the request as a whole is refused. Refusals of single calls are returned as results. */
  const send = Effect.fnUntraced(function* (
    body: Schema.Json,
    maxBytes: number
  ): Effect.fn.Return<ReadonlyArray<RpcAnswer>, RpcFault> {
    const { retryAfterMillis, status, text } = yield* exchange(body, maxBytes)
    const { answers, isList } = answersIn(text)
    const isAccepted = status >= 200 && status < 300
    const errors = answers.flatMap((answer) => errorOf(answer) ?? [])
    const isWhole = !isList || (!isAccepted && errors.length === answers.length)
    const error = isWhole ? errors[0] : undefined
    if (error !== undefined) return yield* refusal(error, status, retryAfterMillis)
    if (answers.length > 0 && (isAccepted || isList)) return answers
    if (isAccepted) return yield* fault("the response has an unexpected form")
    return yield* fault(statusReason(status, refusalOf(text, hide)), kindOfStatus(status), retryAfterMillis)
  })

  return { fault, refusal, send }
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Json))

/** Returns the objects in a list, or a single object. Returns an empty list for any other text. */
const answersIn = (text: string): { readonly answers: ReadonlyArray<RpcAnswer>; readonly isList: boolean } => {
  const json: unknown = Option.getOrUndefined(decode(text))
  const all: ReadonlyArray<unknown> = Array.isArray(json) ? json : [json]
  return {
    answers: all.filter((answer): answer is RpcAnswer => Predicate.isObject(answer)),
    isList: Array.isArray(json)
  }
}

export const errorOf = ({ error }: RpcAnswer): RpcError | undefined => {
  if (typeof error === "string") return { code: undefined, message: error }
  if (!Predicate.isObject(error)) return undefined
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  return {
    code: typeof code === "number" || typeof code === "string" ? code : undefined,
    message: typeof message === "string" ? message : "no reason given"
  }
}

const deadline = "10 seconds"
