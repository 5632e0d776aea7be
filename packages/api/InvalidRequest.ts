/** A request whose parameters or body do not fit their schema: 422, with one entry for each fault. */
import { Effect, Option } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import type { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import { faultsOf } from "./Fault.ts"
import { parse } from "./Incoming.ts"
import { type Problems, UnprocessableEntity } from "./Problem.ts"

/** An API that declares it answers so; `layer` is what it does. */
export class InvalidRequest extends HttpApiMiddleware.Service<InvalidRequest>()("@venue/api/InvalidRequest", {
  error: UnprocessableEntity
}) {}

/** What we could not encode is our own fault and stays one. */
export const layer = (problems: Problems) =>
  HttpApiMiddleware.layerSchemaErrorTransform(InvalidRequest, (error) =>
    Effect.gen(function* () {
      const { cause, kind } = error
      if (kind === "Body" || kind === "ResponseHeaders") return yield* Effect.fail(error)
      return yield* problems.invalidRequest(faultsOf(cause.issue, places[kind], yield* sent[kind]))
    })
  )

type Kind = Exclude<HttpApiSchemaError["kind"], "Body" | "ResponseHeaders">

const places: Record<Kind, string> = { Params: "path", Query: "query", Headers: "header", Payload: "body" }

/** What came, read once more: the parser does not keep it, so that it stands in no error that somebody logs. */
const sent: Record<Kind, Effect.Effect<unknown, never, HttpRouter.Provided>> = {
  Params: HttpRouter.params,
  Query: HttpServerRequest.ParsedSearchParams,
  // They may be credentials.
  Headers: Effect.succeed(undefined),
  Payload: Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) =>
    Effect.map(Effect.option(text), Option.match({ onNone: () => undefined, onSome: parse }))
  )
}
