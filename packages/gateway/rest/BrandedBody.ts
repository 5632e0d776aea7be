/** JSON bodies whose members have the operator's prefix or the neutral prefix. */
import { type Member, memberName, neutrallyNamed } from "@venue/api/Brand"
import { faultsOf } from "@venue/api/Fault"
import { isFields, parse } from "@venue/api/Incoming"
import type { ErrorDetail, Problems } from "@venue/api/Problem"
import { Effect, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"

export interface BrandedBody<A> {
  readonly schema: Schema.Codec<A, unknown>
  readonly members: ReadonlyArray<Member>
}

/** Decodes a body; refusals name members with the operator's prefix. */
export const make = <A>(brand: string, refusals: Problems, { members, schema }: BrandedBody<A>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })
  const spelled = (fault: ErrorDetail): ErrorDetail => {
    const neutral = members.find((member) => fault.location === `body.${member}`)
    if (neutral === undefined) return fault
    const name = memberName(brand, neutral)
    return { ...fault, location: `body.${name}`, message: fault.message?.replace(neutral, name) ?? "" }
  }
  return Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
    const body = parse(yield* Effect.orDie(request.text))
    if (body === undefined) return yield* refusals.unfit("body", "Expected a valid JSON body")
    const sent = isFields(body) ? neutrallyNamed(brand, members, body) : body
    return yield* Effect.mapError(decode(sent), ({ issue }) =>
      refusals.invalidRequest(faultsOf(issue, "body", sent).map(spelled))
    )
  })
}
