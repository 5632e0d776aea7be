/**
 * HTTP server of a simulated identity provider: the contract that `packages/providers/Identity.ts` calls, a page on
 * which the user chooses a finding, and the signed callback with it.
 */
import { signatureOf } from "@venue/providers/Identity"
import { Clock, Effect, Option, Redacted, Schedule, Schema } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import {
  HttpClient,
  HttpClientRequest,
  HttpClientResponse,
  HttpRouter,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"

export interface IdentitySimulatorOptions {
  /** Key that the venue sends. */
  readonly key: Redacted.Redacted
  readonly callbackKey: Redacted.Redacted
  /** The venue's `POST /provider/identity`. */
  readonly callbackUrl: string
  /** Returns this server's own URL, which its port completes. */
  readonly ownUrl: () => string
}

export const layer = (options: IdentitySimulatorOptions) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const references = new Set<string>()
      const random = yield* SecureRandom.SecureRandom
      const report = yield* reporting(options)

      yield* router.add(
        "POST",
        "/verifications",
        Effect.gen(function* () {
          const { headers } = yield* HttpServerRequest.HttpServerRequest
          if (headers["authorization"] !== `Bearer ${Redacted.value(options.key)}`)
            return problem(401, "the key is not one that this provider issued")
          const body = yield* Effect.option(HttpServerRequest.schemaBodyJson(Subject))
          if (Option.isNone(body)) return problem(422, "expected the member subject, the user's id as text")
          const reference = yield* random.uuidV4()
          references.add(reference)
          // Forgets the oldest verification.
          if (references.size > maxVerifications) references.delete(references.values().next().value!)
          return HttpServerResponse.jsonUnsafe({
            reference,
            verification_url: `${options.ownUrl()}/verify/${reference}`
          })
        })
      )
      const found = Effect.fnUntraced(function* () {
        const { reference } = yield* HttpRouter.schemaPathParams(Reference)
        return references.has(reference) ? reference : undefined
      })
      yield* router.add(
        "GET",
        "/verify/:reference",
        Effect.map(found(), (reference) =>
          reference === undefined ? problem(404, "no such verification") : HttpServerResponse.html(pageOf(reference))
        ).pipe(Effect.orElseSucceed(() => problem(404, "no such verification")))
      )
      yield* router.add(
        "POST",
        "/verify/:reference",
        Effect.gen(function* () {
          const reference = yield* found()
          if (reference === undefined) return problem(404, "no such verification")
          const status = yield* report(reference, yield* HttpServerRequest.schemaBodyUrlParams(Form))
          return HttpServerResponse.text(`The venue answered the callback with ${status}.`)
        }).pipe(
          Effect.catch(() =>
            Effect.succeed(problem(422, "expected outcome verified, refused or pending, and a country of two letters"))
          )
        )
      )
    })
  )

const Subject = Schema.Struct({ subject: Schema.NonEmptyString })
const Reference = Schema.Struct({ reference: Schema.String })
const Form = Schema.Struct({
  outcome: Schema.Literals(["verified", "refused", "pending"]),
  country: Schema.String.check(Schema.isPattern(/^([A-Z]{2})?$/)),
  first_name: Schema.String,
  last_name: Schema.String
})

/** Returns the function that sends a finding, up to five times, and returns the venue's status or the failure. */
const reporting = Effect.fnUntraced(function* ({ callbackKey, callbackUrl }: IdentitySimulatorOptions) {
  const client = yield* HttpClient.HttpClient
  return Effect.fnUntraced(function* (
    reference: string,
    { country, first_name, last_name, outcome }: typeof Form.Type
  ) {
    const now = yield* Clock.currentTimeMillis
    const names = { ...(first_name === "" ? {} : { first_name }), ...(last_name === "" ? {} : { last_name }) }
    const finding = { reference, outcome, country: country === "" ? null : country, ...names, found_at: now }
    const body = JSON.stringify(finding)
    const send = Effect.gen(function* () {
      const signature = signatureOf(callbackKey, body, yield* Clock.currentTimeMillis)
      const request = HttpClientRequest.post(callbackUrl).pipe(
        HttpClientRequest.setHeader("x-signature", signature),
        HttpClientRequest.bodyText(body, "application/json")
      )
      const { status } = yield* Effect.flatMap(client.execute(request), HttpClientResponse.filterStatusOk)
      return `status ${status}`
    })
    return yield* send.pipe(
      Effect.timeout("10 seconds"),
      Effect.retry({ times: 4, schedule: Schedule.spaced("1 second") }),
      Effect.catch((error) => Effect.succeed(String(error)))
    )
  })
})

const problem = (status: number, detail: string) => HttpServerResponse.jsonUnsafe({ status, detail }, { status })

/** `reference` is a UUID of this server, so it needs no escape. */
const pageOf = (reference: string): string => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Simulated identity provider</title>
<h1>Simulated identity provider</h1>
<p>This page verifies no documents. Choose the finding that the venue receives.</p>
<form method="post" action="/verify/${reference}">
<p><label>Outcome <select name="outcome"><option>verified<option>refused<option>pending</select></label>
<p><label>Country <input name="country" value="DE" maxlength="2"></label>
<p><label>First name <input name="first_name" value="Ann"></label>
<p><label>Last name <input name="last_name" value="Example"></label>
<p><button>Send the finding</button>
</form></html>
`

const maxVerifications = 10_000
