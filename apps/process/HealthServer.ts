/** Health server of a process, open before its tables are prepared. */
import { release } from "@venue/api/Release"
import * as Listening from "@venue/gateway/http/Listening"
import { Effect } from "effect"
import type { Reason } from "./Readiness.ts"

/** Opens the server. A process that is not ready answers with the reason. */
export const open = Effect.fnUntraced(function* (host: string, port: number, reasonOf: Reason) {
  const listening = yield* Listening.open({ what: "the health interface", host, port })
  listening.server.on("request", (request, response) => {
    const send = (status: number, body: Readonly<Record<string, string>>) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
      response.end(JSON.stringify({ ...body, release }))
    }
    const path = (request.url ?? "").split("?", 1)[0]
    if (path === "/health/live") return send(200, { status: "live" })
    if (path !== "/health/ready")
      return send(404, { status: "this address answers GET /health/live and GET /health/ready" })
    const reason = reasonOf()
    return reason === undefined ? send(200, { status: "ready" }) : send(503, { status: "not ready", reason })
  })
  return { url: Listening.urlOf("http", host, listening.port), close: listening.close }
})
