/** WebSocket server that echoes every message, to measure the cost of a round trip alone. */
import { WebSocketServer } from "ws"

const server = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false })
server.on("connection", (socket) => {
  socket.on("message", (data) => socket.send(data.toString()))
})
server.on("listening", () => process.send!((server.address() as { readonly port: number }).port))
process.on("disconnect", () => process.exit(0))
