/** A request whose parameters or body do not fit their schema: 422, with one entry for each fault. */
import { Effect, SchemaIssue } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import { type ErrorDetail, type Problems, UnprocessableEntity } from "./Problem.ts"

/** An API that declares it answers so; `layer` is what it does. */
export class InvalidRequest extends HttpApiMiddleware.Service<InvalidRequest>()("@venue/api/InvalidRequest", {
  error: UnprocessableEntity
}) {}

/** What we could not encode is our own fault and stays one. */
export const layer = (problems: Problems) =>
  HttpApiMiddleware.layerSchemaErrorTransform(InvalidRequest, (error) =>
    error.kind === "Body" || error.kind === "ResponseHeaders"
      ? Effect.fail(error)
      : Effect.fail(problems.invalidRequest(faultsOf(error)))
  )

/** Values are not repeated: one of them may be a credential. */
const faultsOf = (error: HttpApiSchemaError): ReadonlyArray<ErrorDetail> =>
  format(error.cause.issue)
    .issues.slice(0, faultLimit)
    .map((issue) => ({
      location: [locations[error.kind], ...(issue.path ?? []).map(segment)].join("."),
      message: issue.message
    }))

const format = SchemaIssue.makeFormatterStandardSchemaV1()

const segment = (part: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof part === "object" ? part.key : part)

const locations: Record<HttpApiSchemaError["kind"], string> = {
  Params: "path",
  Query: "query",
  Headers: "header",
  Payload: "body",
  Body: "response",
  ResponseHeaders: "response"
}

/** Faults one answer tells. */
const faultLimit = 100
