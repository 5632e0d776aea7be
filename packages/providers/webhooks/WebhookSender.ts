/**
 * Makes one delivery attempt, which sends a signed message. Any user can register a URL, so only public IP addresses
 * are contacted.
 */
import { maxFault, type TryAnswer } from "@venue/domain/Webhook"
import { Clock, Context, Effect, Layer, Option, type Redacted, Result, Schema } from "effect"
import { Buffer } from "node:buffer"
import type { LookupAddress } from "node:dns"
import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps, type RequestOptions } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import * as StandardWebhook from "../StandardWebhook.ts"
import { endpointOf, hostOf, LoopbackEndpoints } from "./Endpoint.ts"
import { isLoopback, isPublic } from "./PublicAddress.ts"
import { Resolver } from "./Resolver.ts"

export interface Try {
  readonly url: string
  readonly secret: Redacted.Redacted
  /** Message id, the same for all attempts. */
  readonly messageId: string
  /** JSON text. */
  readonly body: string
}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Completes within 11 s: 10 s for the response, and 1 s to discard the response's body. */
    readonly send: (attempt: Try) => Effect.Effect<TryAnswer>
  }
>()("@venue/providers/webhooks/WebhookSender") {
  static readonly layer: Layer.Layer<WebhookSender, never, Resolver> = Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const allowsLoopback = yield* LoopbackEndpoints
      const resolver = yield* Resolver
      const mayBe = (address: string) => isPublic(address) || (allowsLoopback && isLoopback(address))

      /** Returns all of the host's addresses. The host is refused if any of its addresses is not public. */
      const addressesOf = Effect.fnUntraced(function* (host: string) {
        const addresses =
          isIP(host) === 0
            ? yield* resolver.addresses(host).pipe(Effect.orElseSucceed((): ReadonlyArray<string> => []))
            : [host]
        if (addresses.length === 0 || !addresses.every(mayBe)) return yield* new TryFailed({ fault: notPublic })
        return addresses
      })

      const answerTo = Effect.fnUntraced(function* (attempt: Try) {
        const endpoint = endpointOf(attempt.url, allowsLoopback)
        if (Result.isFailure(endpoint)) {
          return yield* new TryFailed({ fault: `the endpoint must be ${endpoint.failure.expected}` })
        }
        const addresses = yield* addressesOf(hostOf(endpoint.success))
        const body = Buffer.from(attempt.body)
        const signed = StandardWebhook.sign(
          attempt.secret,
          attempt.messageId,
          body.toString(),
          yield* Clock.currentTimeMillis
        )
        return yield* post(endpoint.success, addresses, { ...signed, ...headers, "content-length": body.length }, body)
      })

      return WebhookSender.of({
        send: Effect.fn("WebhookSender.send")(
          function* (attempt: Try) {
            const response = yield* Effect.timeoutOption(answerTo(attempt), deadline)
            if (Option.isNone(response)) return failed(`the endpoint did not respond within ${deadline}`)
            const status = response.value.statusCode ?? 0
            yield* dropped(response.value)
            return status >= 200 && status < 300
              ? { status, fault: null }
              : failed(
                  `the endpoint returned status ${status}${status >= 300 && status < 400 ? "; redirects are not followed" : ""}`,
                  status
                )
          },
          Effect.scoped,
          Effect.catchTag("TryFailed", ({ fault }) => Effect.succeed(failed(fault)))
        )
      })
    })
  )
}

const deadline = "10 seconds"
const notPublic = "the host has no public address"
const headers = { "content-type": "application/json", "user-agent": "venue-webhooks/1" }

class TryFailed extends Schema.TaggedError<TryFailed>()("TryFailed", { fault: Schema.String }) {}

const failed = (fault: string, status: number | null = null): TryAnswer => ({ status, fault: fault.slice(0, maxFault) })

/** Posts to one of the checked addresses without a further lookup. The connection ends with the scope. */
const post = Effect.fnUntraced(function* (
  url: URL,
  addresses: ReadonlyArray<string>,
  headers: RequestOptions["headers"] & {},
  body: Buffer
) {
  const options: RequestOptions = { method: "POST", headers, agent: false, lookup: only(addresses) }
  const request = yield* Effect.acquireRelease(
    Effect.sync(() => (url.protocol === "https:" ? requestHttps(url, options) : requestHttp(url, options))),
    (request) => Effect.sync(() => request.destroy())
  )
  return yield* answered(request, body)
})

const answered = (request: ClientRequest, body: Buffer): Effect.Effect<IncomingMessage, TryFailed> =>
  Effect.callback((resume) => {
    request.once("response", (response) => resume(Effect.succeed(response)))
    // A second error can follow the response, after the result is settled.
    request.on("error", (error: NodeJS.ErrnoException) =>
      resume(Effect.fail(new TryFailed({ fault: `the connection failed: ${error.code ?? error.name}` })))
    )
    request.end(body)
  })

/** Reads and discards up to 16 KiB of the response within 1 s, because some endpoints fail if it is not read. */
const dropped = (response: IncomingMessage): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const end = () => resume(Effect.void)
    let bytes = 0
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes >= maxAnswerBytes) end()
    })
    response.on("close", end)
    response.on("error", end)
  }).pipe(Effect.timeoutOption("1 second"), Effect.ensuring(Effect.sync(() => response.destroy())))

const maxAnswerBytes = 16 * 1024

/**
 * Returns a DNS look-up that resolves every host to these addresses. Node.js requests one address or all of them,
 * depending on how it connects.
 */
const only = (addresses: ReadonlyArray<string>): LookupFunction => {
  const known: Array<LookupAddress> = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_host, { all }, callback) =>
    all === true ? callback(null, known) : callback(null, known[0]!.address, known[0]!.family)
}
