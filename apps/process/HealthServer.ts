/** Health server of a process without listeners for clients. */
import { release } from "@venue/api/Release"
import * as Listening from "@venue/gateway/http/Listening"
import { Effect } from "effect"

export const open = Effect.fnUntraced(function* (host: string, port: number, isReady: () => boolean) {
  const listening = yield* Listening.open({ what: "the health interface", host, port })
  listening.server.on("request", (request, response) => {
    const say = (status: number, text: string) => {
      response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
      response.end(JSON.stringify({ status: text, release }))
    }
    const path = (request.url ?? "").split("?", 1)[0]
    if (path === "/health/live") return say(200, "live")
    if (path === "/health/ready") return isReady() ? say(200, "ready") : say(503, "not ready")
    return say(404, "this address answers GET /health/live and GET /health/ready")
  })
  return Listening.urlOf("http", host, listening.port)
})
