/** Readiness of this node: desks respond, markets publish rows, and revocations arrive. */
import * as Problem from "@venue/api/Problem"
import { release } from "@venue/api/Release"
import { Feed } from "@venue/cluster/feed/Feed"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { maxDelayMillis, Revocations } from "@venue/storage/access/Revocations"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { shortly } from "./Refusal.ts"

export class Health extends Context.Service<
  Health,
  {
    /** True if every condition was met within the last 5 s. Liveness requires only a response. */
    readonly ready: () => boolean
    /** Makes this node unready before it stops. */
    readonly stop: Effect.Effect<void>
    /** Responds to plain HTTP requests on a socket listener. `restUrl` is the base URL of the problem pages. */
    readonly answer: (restUrl: string) => (request: IncomingMessage, response: ServerResponse) => void
  }
>()("@venue/gateway/http/Health") {
  /** For a single process: ready when every desk responds and every listed market publishes rows. */
  static readonly layer: Layer.Layer<Health, never, DeskClient | Feed | Revocations> = Layer.effect(
    Health,
    Effect.suspend(() => make({ needsAll: true }))
  )

  /**
   * For one of several gateways: ready while any desk responds, because a desk that fails is unavailable to all
   * gateways.
   */
  static readonly layerGateway: Layer.Layer<Health, never, DeskClient | Feed | Revocations> = Layer.effect(
    Health,
    Effect.suspend(() => make({ needsAll: false }))
  )
}

/** Further readiness conditions, such as a responding database. */
export const Conditions = Context.Reference<ReadonlyArray<() => boolean>>("@venue/gateway/http/Health/Conditions", {
  defaultValue: () => []
})

const make = Effect.fnUntraced(function* ({ needsAll }: { readonly needsAll: boolean }) {
  const desks = yield* DeskClient
  const feed = yield* Feed
  const revocations = yield* Revocations
  const clock = yield* Clock.Clock
  const conditions = yield* Conditions
  const { desks: count, instruments } = yield* VenueSettings
  const answeredAtMillis = Array.from({ length: count }, () => -Infinity)
  const deskNumbers = Array.from(answeredAtMillis.keys())

  const probe = Effect.forEach(
    deskNumbers,
    (desk) =>
      desks.wake(String(desk)).pipe(
        Effect.andThen(
          Effect.sync(() => {
            answeredAtMillis[desk] = clock.currentTimeMillisUnsafe()
          })
        ),
        Effect.ignore
      ),
    { discard: true, concurrency: "unbounded" }
  )
  yield* Effect.forkScoped(Effect.repeat(probe, Schedule.spaced("1 second")))

  let isStopping = false
  const ready = (): boolean => {
    if (isStopping) return false
    const since = clock.currentTimeMillisUnsafe() - freshMillis
    if (revocations.delayMillis() > maxDelayMillis) return false
    if (!conditions.every((holds) => holds())) return false
    if (!needsAll) return answeredAtMillis.some((at) => at >= since)
    return (
      answeredAtMillis.every((at) => at >= since) &&
      Array.from(instruments.keys()).every((symbol) => (feed.head(symbol)?.aliveAtMillis ?? -Infinity) >= since)
    )
  }
  return Health.of({
    ready,
    stop: Effect.sync(() => {
      isStopping = true
    }),
    answer: (restUrl) => (request, response) => answer(restUrl, ready, request, response)
  })
})

const freshMillis = 5_000

const answer = (restUrl: string, ready: () => boolean, request: IncomingMessage, response: ServerResponse): void => {
  const send = (status: number, type: string, body: object, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers })
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(body))
  }
  const path = (request.url ?? "").split("?", 1)[0]
  const isRead = request.method === "GET" || request.method === "HEAD"
  if (isRead && path === "/health/live") return send(200, "application/json", { status: "live", release })
  if (isRead && path === "/health/ready") {
    return ready()
      ? send(200, "application/json", { status: "ready", release })
      : send(503, "application/problem+json", Problem.body(restUrl, 503, "draining"), shortly)
  }
  return send(
    426,
    "application/problem+json",
    {
      $schema: Problem.schemaUri(restUrl, "ErrorModel"),
      type: "about:blank",
      title: "Upgrade Required",
      status: 426,
      detail:
        "This URL accepts WebSocket connections; the only plain HTTP requests are GET /health/live and GET /health/ready."
    },
    { upgrade: "websocket", connection: "Upgrade" }
  )
}
