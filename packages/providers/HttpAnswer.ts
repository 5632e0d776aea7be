/** What another's server answers: no more of it than there is reason to read, and why there is none. */
import { Effect, Schema, Stream } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"

export class AnswerTooLarge extends Schema.TaggedError<AnswerTooLarge>()("AnswerTooLarge", {
  maxBytes: Schema.Int
}) {
  override get message() {
    return `its answer is larger than ${this.maxBytes} bytes`
  }
}

/** The text of an answer of any status. */
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
 * One sentence for logs. It leaves out the address, the headers and the body of the request, which may hold a key, and what
 * the answer holds, which may be anybody's.
 */
export const whyOf = (error: HttpClientError.HttpClientError | { readonly message: string }): string => {
  if (Schema.isSchemaError(error)) return "its answer has another form than was agreed"
  if (!HttpClientError.isHttpClientError(error)) return error.message
  const { reason, response } = error
  const cause = "cause" in reason ? reason.cause : undefined
  if (cause instanceof Error)
    return cause.message === "" ? String((cause as NodeJS.ErrnoException).code) : cause.message
  return response === undefined ? reason._tag : `it answers with status ${response.status}`
}
