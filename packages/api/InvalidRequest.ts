/** Responds with 422 to a request that fails its schema, and lists the faults in all parts of the request. */
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { type HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import { faultsOf } from "./Fault.ts"
import { parse } from "./Incoming.ts"
import { type ErrorDetail, type Problems, UnprocessableEntity } from "./Problem.ts"
import { wordFaults } from "./treasury/Word.ts"

/** Middleware with which an API declares its 422 response; `layer` implements it. */
export class InvalidRequest extends HttpApiMiddleware.Service<InvalidRequest>()("@venue/api/InvalidRequest", {
  error: UnprocessableEntity
}) {}

/**
 * Returns the middleware's implementation. Errors in encoding a response are the venue's faults and are passed
 * through.
 */
export const layer = (problems: Problems) =>
  HttpApiMiddleware.layerSchemaErrorTransform(InvalidRequest, (error, { endpoint }) =>
    Effect.gen(function* () {
      const { cause, kind } = error
      if (kind === "Body" || kind === "ResponseHeaders") return yield* Effect.fail(error)
      const parts = partsOf(endpoint)
      const first = parts.findIndex((part) => part.kind === kind)
      // The framework stops at the first part that fails. Earlier parts are valid, and later parts have not been
      // decoded yet.
      const faults = yield* Effect.forEach(parts, (part, at) => (at < first ? wordsOnly(part) : faultsOfPart(part)))
      const all = faults.flat()
      return yield* problems.invalidRequest(all.length > 0 ? all : faultsOf(cause.issue, places[kind], undefined))
    })
  )

type Kind = Exclude<HttpApiSchemaError["kind"], "Body" | "ResponseHeaders">

interface Part {
  readonly kind: Kind
  readonly schema: Schema.Codec<unknown, unknown>
}

const places = { Params: "path", Query: "query", Headers: "header", Payload: "body" } as const

/** Returns the parts of a request in the order in which the framework decodes them. */
const partsOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<Part> => {
  const { headers, params, payload, query } = endpoint
  const schemas = {
    Params: params,
    Headers: headers,
    Query: query && Schema.toCodecArrayFromSingle(query),
    Payload: bodyOf(payload)
  }
  return (["Params", "Headers", "Query", "Payload"] as const).flatMap((kind) => {
    const schema = schemas[kind]
    return schema === undefined ? [] : [{ kind, schema: schema as unknown as Part["schema"] }]
  })
}

/** Returns the schema of the JSON body; an optional body is a union with void. */
const bodyOf = (payload: HttpApiEndpoint.PayloadMap): Schema.Top | undefined => {
  const schemas = payload.get("application/json")?.schemas ?? []
  return schemas.length > 1 ? Schema.Union(schemas) : schemas[0]
}

const faultsOfPart = Effect.fnUntraced(function* (part: Part) {
  const value = yield* sent[part.kind]
  if (value === unreadable) return [{ location: places[part.kind], message: "Expected a valid JSON body" }]
  const options = { errors: "all", ...(part.kind === "Payload" && { onExcessProperty: "error" as const }) } as const
  const refused = yield* Effect.flip(Schema.decodeUnknownEffect(part.schema, options)(value)).pipe(Effect.option)
  const place = places[part.kind]
  const shown = part.kind === "Headers" ? undefined : value
  return [...(refused._tag === "None" ? [] : faultsOf(refused.value.issue, place, shown)), ...(yield* wordsOnly(part))]
})

/**
 * Returns the faults of members that the endpoint itself checks. If these are the only faults, the endpoint responds
 * with 400.
 */
const wordsOnly = ({ kind, schema }: Part): Effect.Effect<ReadonlyArray<ErrorDetail>, never, HttpRouter.Provided> =>
  Effect.map(sent[kind], (value) => wordFaults(schema.ast, places[kind], value))

/** Reads the raw parts again, because the parser drops raw values to keep secrets out of logged errors. */
const sent: Record<Kind, Effect.Effect<unknown, never, HttpRouter.Provided>> = {
  Params: HttpRouter.params,
  Query: HttpServerRequest.ParsedSearchParams,
  Headers: Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) => headers),
  Payload: Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) =>
    Effect.map(
      Effect.orElseSucceed(text, () => ""),
      (body) => (body === "" ? {} : (parse(body) ?? unreadable))
    )
  )
}

/** Marks a body that is not JSON. */
const unreadable = Symbol("unreadable")
