/**
 * Bare `node:http` server that responds to every request with 300 bytes of JSON, to measure the cost of a read
 * without any work.
 */
import { createServer } from "node:http"

const body = JSON.stringify({ data: "x".repeat(288) })
const server = createServer((_, answer) => {
  answer.writeHead(200, { "content-type": "application/json", "content-length": body.length })
  answer.end(body)
})
server.listen(0, "127.0.0.1", () => process.send!((server.address() as { readonly port: number }).port))
process.on("disconnect", () => process.exit(0))
