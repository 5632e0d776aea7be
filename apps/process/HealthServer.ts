/** Health server of a process, open before its tables are prepared: probes and, at a private address, metrics. */
import { release } from "@venue/api/Release"
import * as Listening from "@venue/gateway/http/Listening"
import * as Exposition from "@venue/telemetry/Exposition"
import { Effect } from "effect"
import type { Reason } from "./Readiness.ts"

/** Opens a server that also serves the metrics, so its address must be private. */
export const openWithMetrics = Effect.fnUntraced(function* (host: string, port: number, reasonOf: Reason) {
  return yield* open(host, port, reasonOf, yield* Exposition.make)
})

/** Opens the server. A process that is not ready answers with the reason. */
export const open = Effect.fnUntraced(function* (host: string, port: number, reasonOf: Reason, metrics?: () => string) {
  const listening = yield* Listening.open({ what: "the health interface", host, port, maxConnections })
  listening.server.on("request", (request, response) => {
    const send = (status: number, body: Readonly<Record<string, string>>) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
      response.end(JSON.stringify({ ...body, release }))
    }
    const path = (request.url ?? "").split("?", 1)[0]
    if (path === "/health/live") return send(200, { status: "live" })
    if (metrics !== undefined && path === Exposition.path) {
      response.writeHead(200, { "content-type": Exposition.contentType, "cache-control": "no-store" })
      return response.end(metrics())
    }
    if (path !== "/health/ready")
      return send(404, { status: "this address answers GET /health/live and GET /health/ready" })
    const reason = reasonOf()
    return reason === undefined ? send(200, { status: "ready" }) : send(503, { status: "not ready", reason })
  })
  return { url: Listening.urlOf("http", host, listening.port), close: listening.close }
})

/** Probes and scrapers need few connections. Further ones are closed at once. */
const maxConnections = 100
