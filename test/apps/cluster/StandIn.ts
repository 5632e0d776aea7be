/**
 * A program that replaces a node in tests: it responds to health checks, prints its state, and exits on request or
 * when its supervisor exits.
 */
import { createServer } from "node:http"

const { FAILS, VENUE_HEALTH_PORT, VENUE_NODE_NAME, VENUE_SECRET_KEY } = process.env
if (FAILS === VENUE_NODE_NAME) {
  console.error("venue: VENUE_BRAND: expected letters, digits and hyphens")
  process.exit(1)
}
const server = createServer((_, response) => response.end("{}"))
server.listen(Number(VENUE_HEALTH_PORT), "127.0.0.1", () => {
  console.log(`venue: ${VENUE_NODE_NAME} ready, pid ${process.pid}`)
  console.log(`it has ${VENUE_SECRET_KEY === undefined ? "no secret" : "a secret"}`)
})
process.on("SIGTERM", () => process.exit(0))
process.on("disconnect", () => process.exit(0))
