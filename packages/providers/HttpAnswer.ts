/** Reads HTTP responses up to a size limit, and extracts the reason for a refusal. */
import { Effect, Option, Predicate, Result, Schema, Stream } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import { Buffer } from "node:buffer"

export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {
  maxBytes: Schema.Int
}) {
  override get message() {
    return `the response is larger than ${this.maxBytes} bytes`
  }
}

/** Returns a response's body text, whatever the status. */
export const textOf = (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<string, AnswerTooLarge | HttpClientError.HttpClientError> =>
  Effect.suspend(() => {
    let bytes = 0
    return response.stream.pipe(
      Stream.tap((chunk) =>
        (bytes += chunk.length) > maxBytes ? Effect.fail(new AnswerTooLarge({ maxBytes })) : Effect.void
      ),
      Stream.decodeText(),
      Stream.mkString
    )
  })

/**
 * Returns the sentence that explains a refusal: the usual member of a JSON body (JSON-RPC, problem details, vendors'
 * own), or a short plain text. Returns undefined for an empty body or an HTML page.
 */
export const refusalOf = (text: string, hide: Hide): string | undefined => {
  const json = Option.getOrUndefined(decodeJson(text))
  const found = json === undefined ? (text.trimStart().startsWith("<") ? undefined : text) : sentenceIn(json)
  const sentence = found === undefined ? "" : hide(found)
  return sentence === "" ? undefined : sentence
}

const decodeJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const sentenceIn = (json: unknown, depth = 0): string | undefined => {
  if (typeof json === "string") return json
  if (depth > 2 || !Predicate.isObjectOrArray(json)) return undefined
  const members = json as Readonly<Record<string, unknown>>
  for (const name of sentenceMembers) {
    const sentence = Object.hasOwn(members, name) ? sentenceIn(members[name], depth + 1) : undefined
    if (sentence !== undefined && sentence !== "") return sentence
  }
  return undefined
}

/** `0` stands for the first element of a list. */
const sentenceMembers = ["error", "Error", "detail", "message", "reason", "msg", "description", "title", "errors", "0"]
const maxSentence = 300

/** Appends the server's message to its status. */
export const statusReason = (status: number, sentence: string | undefined): string =>
  sentence === undefined ? `the server returned status ${status}` : `the server returned status ${status}: ${sentence}`

/**
 * Returns another server's text in a form fit for logs: one line of at most 300 characters, with "…" in place of each
 * secret.
 */
export type Hide = (text: string) => string

/**
 * Hides every part of a URL that might be a key, every given secret, and every part of a secret. A server that
 * refuses `authorization: Bearer KEY` might repeat the key alone. Secrets are replaced before the text is cut, so
 * that no part of a secret remains.
 */
export const hiding = (url: string, ...secrets: ReadonlyArray<string>): Hide => {
  const { hostname, password, pathname, search, username } = new URL(url)
  const parts = [hostname, ...pathname.split("/"), ...search.split(/[?&=]/), username, password]
  const hidden = [...parts.flatMap((part) => [part, decoded(part)]), ...secrets.flatMap(partsOf)]
    .filter((part) => part.length >= shortestSecret && !schemes.test(part))
    .sort((a, b) => b.length - a.length)
  return (text) =>
    hidden
      .reduce((rest, secret) => rest.replaceAll(secret, "…"), text.replaceAll(/[\p{C}\s]+/gu, " ").trim())
      .slice(0, maxSentence)
      // Repairs a cut within a surrogate pair, because Postgres stores no lone surrogate.
      .toWellFormed()
}

/** `Basic` credentials also contain a name and a password in base64 (RFC 7617). */
const partsOf = (secret: string): ReadonlyArray<string> => {
  const [, basic = ""] = /^basic\s+(\S+)/i.exec(secret) ?? []
  const pair = Buffer.from(basic, "base64").toString()
  return [secret, ...secret.split(/[\s:=,;"]+/), basic, pair, ...pair.split(":")]
}

/** Scheme names in an `authorization` header; not secret. */
const schemes = /^(bearer|digest|apikey)$/i

const decoded = (part: string): string => {
  const text = Result.try(() => decodeURIComponent(part))
  return Result.isSuccess(text) ? text.success : part
}

const shortestSecret = 6

/** Returns the wait in a `retry-after` header in milliseconds, or 0 if the header has no whole number of seconds. */
export const retryAfterMillis = ({ headers }: HttpClientResponse.HttpClientResponse): number => {
  const seconds = headers["retry-after"] ?? ""
  return /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : 0
}

/** Returns true if a sentence states a rate limit; a sentence with "revert" is a contract's own message. */
export const isRateSentence = (sentence: string): boolean => rateWords.test(sentence) && !/revert/i.test(sentence)

const rateWords =
  /\brate[ -]?limit|\brate\b.*(exceed|limit)|too many requests(?! in)|throttl|quota|per (second|minute|hour|day)\b|\brps\b|request limit|over rate/i

/**
 * Returns one sentence for logs, without the response and without the request's URL, headers and body, which might
 * hold a key.
 */
export const whyOf = (error: HttpClientError.HttpClientError | { readonly message: string }): string => {
  if (Schema.isSchemaError(error)) return "the response has an unexpected form"
  if (!HttpClientError.isHttpClientError(error)) return error.message
  const { reason, response } = error
  const cause = "cause" in reason ? reason.cause : undefined
  if (cause instanceof Error)
    return cause.message === "" ? String((cause as NodeJS.ErrnoException).code) : cause.message
  return response === undefined ? reason._tag : `the server returned status ${response.status}`
}
