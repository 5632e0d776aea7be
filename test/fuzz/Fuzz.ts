/**
 * Sends seeded random requests to a venue in memory, and reports each response that violates the published
 * description.
 */
import { defaults, VenueSettings } from "@venue/cluster/VenueSettings"
import { TestVenue } from "@venue/testing/TestVenue"
import { Effect, Layer, identity } from "effect"
import * as Random from "../chaos/Random.ts"
import { type Operation, rest } from "../gateway/rest/contract/Operations.ts"
import { Scene } from "../gateway/rest/contract/Scene.ts"
import { type Answer, call, RestClient } from "../gateway/rest/RestClient.ts"
import { type Made, request } from "./Requests.ts"

const { faultOf, validatorOf } = rest

export interface Options {
  readonly requests: number
  readonly seed: number
}

export interface Outcome {
  /** Number of responses by status. */
  readonly statuses: ReadonlyMap<number, number>
  /** The first faults, each with the number that reproduces its request. */
  readonly faults: ReadonlyArray<string>
}

/** Disables rate limits, so that every request is executed. */
export const layer = Scene.layer.pipe(Layer.provide(Layer.succeed(VenueSettings, { ...defaults, rateLimits: false })))

export const run = Effect.fnUntraced(function* ({ requests, seed }: Options) {
  const { powerless, trader } = yield* Scene
  const { restUrl, signed } = yield* RestClient
  const venue = yield* TestVenue
  const token = yield* venue.token(trader)
  const known = {
    accounts: [trader.userId, yield* venue.subaccount(trader), powerless.userId],
    publicKeys: [powerless.publicKey, "nothing"]
  }
  const credentials = Effect.fnUntraced(function* (kind: Made["credentials"]) {
    const headers: Record<string, string> =
      kind === "session" ? { authorization: `Bearer ${token}` } : kind === "wrong" ? { authorization: "Bearer x" } : {}
    return kind === "key" ? yield* signed(trader) : headers
  })
  const statuses = new Map<number, number>()
  const faults: Array<string> = []

  const send = Effect.fnUntraced(function* (number: number) {
    const made = request(Random.make(seed, String(number)), known)
    const { body, headers, method, operation, url } = made
    const answer = yield* call(`${restUrl}${url}`, {
      method,
      headers: { ...headers, ...(yield* credentials(made.credentials)) },
      ...(body === undefined ? {} : { body })
    })
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    const isDescribed = operation !== undefined && !beyond(operation).includes(answer.status)
    const fault = isDescribed ? faultOf(operation, answer) : elsewhereFault(answer)
    const report = answer.status >= 500 ? `${answer.status}: ${answer.text.slice(0, 300)}` : fault
    if (report === undefined || faults.length >= maxFaults) return
    faults.push(`request ${number} of seed ${seed}, ${method} ${url} ${JSON.stringify(headers)} ${body}: ${report}`)
  })
  yield* Effect.forEach(Array.from({ length: requests }).keys(), send, { concurrency: 8, discard: true })
  return identity<Outcome>({ statuses, faults })
})

const maxFaults = 20

/** Statuses that the description's introduction defines for all operations. */
const beyond = ({ body }: Operation) => (body === undefined ? [413, 414, 415, 431] : [414, 431])

const errorModel = validatorOf({ $ref: "#/components/schemas/ErrorModel" })

/** Errors outside the described operations must still be problem+json. */
const elsewhereFault = ({ body, headers, status, text }: Answer): string | undefined =>
  status < 400 || text === "" || (headers.get("content-type") === "application/problem+json" && errorModel(body))
    ? undefined
    : `${status} is not problem JSON: ${text.slice(0, 300)}`
