/** Bodies of REST problems (`application/problem+json`): one class per status, so that endpoints declare their statuses. */
import { Schema } from "effect"
import { contentType } from "effect/http/ProblemDetails"
import { SchemaLink } from "./Body.ts"
import { type Page, pages } from "./ProblemPages.ts"
import { titles } from "./StatusTitle.ts"

/** One fault of a request. */
export const ErrorDetail = Schema.Struct({
  location: Schema.optionalKey(
    Schema.String.annotate({
      description: "Location of the fault in the request, such as `query.limit` or `body.amount`."
    })
  ),
  message: Schema.optionalKey(
    Schema.String.annotate({ description: "Explanation of the fault and the expected value." })
  ),
  value: Schema.optionalKey(Schema.Json.annotate({ description: "Value in the request; omitted for a secret." }))
}).annotate({ identifier: "ErrorDetail" })
export type ErrorDetail = typeof ErrorDetail.Type

/** HTTP status of a problem. */
export type Status = keyof typeof titles

const members = <const S extends Schema.Top>(status: S) => ({
  $schema: SchemaLink,
  type: Schema.optionalKey(
    Schema.String.annotate({
      description: "URL of the page that explains the problem.",
      format: "uri",
      default: "about:blank"
    })
  ),
  title: Schema.optionalKey(Schema.String.annotate({ description: "Name of the HTTP status." })),
  status: Schema.optionalKey(status),
  detail: Schema.optionalKey(
    Schema.String.annotate({ description: "Human-readable explanation of this occurrence of the problem." })
  ),
  instance: Schema.optionalKey(
    Schema.String.annotate({
      description: "Identifier of this occurrence of the problem, for use in support requests.",
      format: "uri"
    })
  ),
  errors: Schema.optionalKey(
    Schema.NullOr(Schema.Array(ErrorDetail)).annotate({
      description: "Faults of the request, with one entry for each fault."
    })
  )
})

/** Any problem, in the form that documents and clients use; every member is optional. */
export const ErrorModel = Schema.Struct(
  members(Schema.Int.annotate({ description: "HTTP status of the response." }))
).annotate({ identifier: "ErrorModel", description: "Problem details of a refused request (RFC 9457)." })

const answer = (status: Status) =>
  ({
    httpApiStatus: status,
    description: titles[status],
    "~httpApiEncoding": { _tag: "Json", contentType }
  }) as const

/** Problem with status 400. */
export class BadRequest extends Schema.Error<BadRequest>("BadRequest")(members(Schema.Literal(400)), answer(400)) {}
/** Problem with status 401. */
export class Unauthorized extends Schema.Error<Unauthorized>("Unauthorized")(
  members(Schema.Literal(401)),
  answer(401)
) {}
/** Problem with status 403. */
export class Forbidden extends Schema.Error<Forbidden>("Forbidden")(members(Schema.Literal(403)), answer(403)) {}
/** Problem with status 404. */
export class NotFound extends Schema.Error<NotFound>("NotFound")(members(Schema.Literal(404)), answer(404)) {}
/** Problem with status 405. */
export class MethodNotAllowed extends Schema.Error<MethodNotAllowed>("MethodNotAllowed")(
  members(Schema.Literal(405)),
  answer(405)
) {}
/** Problem with status 409. */
export class Conflict extends Schema.Error<Conflict>("Conflict")(members(Schema.Literal(409)), answer(409)) {}
/** Problem with status 413. */
export class ContentTooLarge extends Schema.Error<ContentTooLarge>("ContentTooLarge")(
  members(Schema.Literal(413)),
  answer(413)
) {}
/** Problem with status 415. */
export class UnsupportedMediaType extends Schema.Error<UnsupportedMediaType>("UnsupportedMediaType")(
  members(Schema.Literal(415)),
  answer(415)
) {}
/** Problem with status 422. */
export class UnprocessableEntity extends Schema.Error<UnprocessableEntity>("UnprocessableEntity")(
  members(Schema.Literal(422)),
  answer(422)
) {}
/** Problem with status 429. */
export class TooManyRequests extends Schema.Error<TooManyRequests>("TooManyRequests")(
  members(Schema.Literal(429)),
  answer(429)
) {}
/** Problem with status 500. */
export class InternalServerError extends Schema.Error<InternalServerError>("InternalServerError")(
  members(Schema.Literal(500)),
  answer(500)
) {}
/** Problem with status 502. */
export class BadGateway extends Schema.Error<BadGateway>("BadGateway")(members(Schema.Literal(502)), answer(502)) {}
/** Problem with status 503. */
export class ServiceUnavailable extends Schema.Error<ServiceUnavailable>("ServiceUnavailable")(
  members(Schema.Literal(503)),
  answer(503)
) {}
/** Problem with status 504. */
export class GatewayTimeout extends Schema.Error<GatewayTimeout>("GatewayTimeout")(
  members(Schema.Literal(504)),
  answer(504)
) {}

/** Variable part of a problem. `detail` must not expose internals or credentials. */
export interface Occurrence {
  readonly detail?: string
  readonly errors?: ReadonlyArray<ErrorDetail>
}

/** Returns the body of a problem; `detail` defaults to the text of the problem's page. */
export const body = <const S extends Status>(
  baseUrl: string,
  status: S,
  page: Page,
  { detail = pages[page], errors }: Occurrence = {}
) => ({
  $schema: schemaUri(baseUrl, "ErrorModel"),
  type: `${baseUrl}/problems/${page}`,
  title: titles[status],
  status,
  detail,
  ...(errors === undefined ? {} : { errors })
})

/** Returns the URL of a body's JSON Schema. */
export const schemaUri = (baseUrl: string, name: string): string => `${baseUrl}/schemas/${name}.json`

/** Quotes a value that the caller sent, cut to 64 characters. */
export const quoted = (value: string): string => JSON.stringify(value.slice(0, 64))

/** Returns the detail for a symbol that is not listed. */
export const about = (symbol: string): Occurrence => ({
  detail: `No instrument is listed as ${quoted(symbol)}; list the instruments with GET /refdata.`
})

/** Returns the detail for an id that does not belong to the user. `fix` states how to list valid ids. */
export const unknownOf = (what: string, id: string, fix: string): Occurrence => ({
  detail: `The user has no ${what} ${quoted(id)}; ${fix}.`
})

/** Returns the detail for an exceeded rate limit: the wait (at least 1 s), and the bucket's capacity if known. */
export const rateSpent = (waitMillis: number, capacity?: number): Occurrence => {
  const limit = capacity === undefined ? "" : `: the rate-limit bucket of ${capacity} units is empty`
  return {
    detail: `Too many requests${limit}; wait ${Math.max(1, Math.ceil(waitMillis / 1_000))} s, as stated in Retry-After.`
  }
}
