/** Readiness of this node: desks respond, markets publish rows, and revocations arrive. */
import * as Problem from "@venue/api/Problem"
import { release } from "@venue/api/Release"
import { Feed } from "@venue/cluster/feed/Feed"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { maxDelayMillis, Revocations } from "@venue/storage/access/Revocations"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { shortly } from "./Refusal.ts"

export class Health extends Context.Service<
  Health,
  {
    /** True if every condition was met within the last 5 s. Liveness requires only a response. */
    readonly ready: () => boolean
    /** Returns the first condition that is not met, in words, or undefined if the node is ready. */
    readonly reason: () => string | undefined
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

export interface Condition {
  readonly holds: () => boolean
  /** Text for operators while the condition is not met. */
  readonly reason: string
}

/** Further readiness conditions, such as a responding database. */
export const Conditions = Context.Reference<ReadonlyArray<Condition>>("@venue/gateway/http/Health/Conditions", {
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

  const atStart = new Set(instruments.keys())
  /** A contract that was listed since the start counts from its first row. */
  const isFresh = (symbol: MarketSymbol, sinceMillis: number) => {
    const head = feed.head(symbol)
    return head === undefined ? !atStart.has(symbol) : head.aliveAtMillis >= sinceMillis
  }

  let isStopping = false
  const reason = (): string | undefined => {
    if (isStopping) return "This gateway is stopping."
    const since = clock.currentTimeMillisUnsafe() - freshMillis
    if (revocations.delayMillis() > maxDelayMillis) return "Revoked keys and sessions cannot be read."
    const unmet = conditions.find(({ holds }) => !holds())
    if (unmet !== undefined) return unmet.reason
    const silent = deskNumbers.filter((desk) => answeredAtMillis[desk]! < since)
    if (silent.length === count) return "Waiting for a runner: no desk has responded in the last 5 s."
    if (!needsAll) return undefined
    if (silent.length > 0) return `Waiting for desk ${silent[0]}, which has not responded in the last 5 s.`
    const quiet = instruments.keys().find((symbol) => !isFresh(symbol, since))
    return quiet && `Waiting for market ${quiet}, which has published no row in the last 5 s.`
  }
  return Health.of({
    ready: () => reason() === undefined,
    reason,
    stop: Effect.sync(() => {
      isStopping = true
    }),
    answer: (restUrl) => (request, response) => answer(restUrl, reason, request, response)
  })
})

const freshMillis = 5_000

const answer = (
  restUrl: string,
  reasonOf: () => string | undefined,
  request: IncomingMessage,
  response: ServerResponse
): void => {
  const send = (status: number, type: string, body: object, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...headers })
    response.end(request.method === "HEAD" ? undefined : JSON.stringify(body))
  }
  const path = (request.url ?? "").split("?", 1)[0]
  const isRead = request.method === "GET" || request.method === "HEAD"
  if (isRead && path === "/health/live") return send(200, "application/json", { status: "live", release })
  if (isRead && path === "/health/ready") {
    const detail = reasonOf()
    return detail === undefined
      ? send(200, "application/json", { status: "ready", release })
      : send(503, "application/problem+json", Problem.notReady(restUrl, detail), shortly)
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
