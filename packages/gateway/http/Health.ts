/** Whether this node can serve, by the desks that answer, and the markets and revocations that are heard. */
import * as Problem from "@venue/api/Problem"
import { Feed } from "@venue/cluster/feed/Feed"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import { maxUnheardMillis, Revocations } from "@venue/storage/access/Revocations"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { shortly } from "./Refusal.ts"

export class Health extends Context.Service<
  Health,
  {
    /** What must hold was so within the last seconds. Being live is to answer at all. */
    readonly ready: () => boolean
    /** From then on this node is not ready, whatever else holds: it is about to stop. */
    readonly stop: Effect.Effect<void>
    /** Answers the plain requests of a listener that serves sockets; `restUrl` is where problems are explained. */
    readonly answer: (restUrl: string) => (request: IncomingMessage, response: ServerResponse) => void
  }
>()("@venue/gateway/http/Health") {
  /** A venue of one process is ready when every desk answers and every listed market is heard. */
  static readonly layer: Layer.Layer<Health, never, DeskClient | Feed | Revocations> = Layer.effect(
    Health,
    Effect.suspend(() => make({ needsAll: true }))
  )

  /** One gateway of many serves while some desk answers: where another is down, no gateway would help. */
  static readonly layerGateway: Layer.Layer<Health, never, DeskClient | Feed | Revocations> = Layer.effect(
    Health,
    Effect.suspend(() => make({ needsAll: false }))
  )
}

/** What else must hold for this node to serve, such as that its database answers. */
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
    if (revocations.unheardMillis() > maxUnheardMillis) return false
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
  const say = (status: number, type: string, body: object, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers })
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(body))
  }
  const path = (request.url ?? "").split("?", 1)[0]
  const isRead = request.method === "GET" || request.method === "HEAD"
  if (isRead && path === "/health/live") return say(200, "application/json", { status: "live" })
  if (isRead && path === "/health/ready") {
    return ready()
      ? say(200, "application/json", { status: "ready" })
      : say(503, "application/problem+json", Problem.body(restUrl, 503, "draining"), shortly)
  }
  return say(
    426,
    "application/problem+json",
    {
      $schema: Problem.schemaUri(restUrl, "ErrorModel"),
      type: "about:blank",
      title: "Upgrade Required",
      status: 426,
      detail: "This address speaks WebSocket; of plain requests it answers GET /health/live and GET /health/ready."
    },
    { upgrade: "websocket", connection: "Upgrade" }
  )
}
