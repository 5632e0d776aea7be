/** Parsers for a request's query, JSON body and form. */
import { type Fields, isFields, parse } from "@venue/api/Incoming"
import { faultsOf } from "@venue/api/Fault"
import type { ErrorDetail } from "@venue/api/Problem"
import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { refused } from "./Refused.ts"

/** All query parameters, including repeated ones. */
export const query = Effect.map(
  HttpServerRequest.HttpServerRequest,
  ({ url }) => new URLSearchParams(url.includes("?") ? url.slice(url.indexOf("?")) : "")
)

/**
 * Parses a JSON object after `named` has renamed its members. If a member is repeated, the last one counts; unknown
 * members are ignored.
 */
export const json = <A>(schema: Schema.Codec<A, unknown>, named: (sent: Fields) => Fields = (sent) => sent) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const value = isType(request, "application/json") ? parse(yield* text(request)) : undefined
    if (!isFields(value)) return yield* refused("bad_json")
    return yield* Effect.mapError(decode(named(value)), ({ issue }) =>
      refused("validation_failed", textOf(faultsOf(issue, "body", undefined)))
    )
  })
}

/** Parameters of a form. Rejects repeated parameters; treats an empty parameter as missing. */
export const form = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isForm(request)) {
    return yield* refused("validation_failed", `The body must be a form with content-type ${formType}`)
  }
  const sent = [...new URLSearchParams(yield* text(request))]
  if (new Set(sent.map(([name]) => name)).size < sent.length) {
    return yield* refused("validation_failed", "A form parameter occurs more than once")
  }
  return new Map(sent.filter(([, value]) => value !== ""))
})

export const isForm = (request: HttpServerRequest.HttpServerRequest): boolean => isType(request, formType)

const formType = "application/x-www-form-urlencoded"

/** Returns a text that lists the members and their expected values, but not the submitted values. */
const textOf = (faults: ReadonlyArray<ErrorDetail>): string =>
  faults
    .map(({ location, message = "" }) => (message.includes(" is required") ? message : `${location}: ${message}`))
    .join("; ")

const isType = ({ headers }: HttpServerRequest.HttpServerRequest, type: string): boolean =>
  headers["content-type"]?.split(";")[0]!.trim().toLowerCase() === type

/** Reads the body; an incomplete body fails with `validation_failed`. */
const text = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.mapError(request.text, ({ reason }) =>
    refused("reason" in reason && reason.reason === "BodyTooLarge" ? "request_entity_too_large" : "validation_failed")
  )
