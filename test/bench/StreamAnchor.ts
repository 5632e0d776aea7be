/**
 * The cheapest correct fan-out in Node: frames each message once and writes the same buffer to each socket. Runs as a
 * child process: it sends its port, receives a `FanOut` message, and starts when all subscribers are connected.
 */
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { WebSocketServer } from "ws"

export interface FanOut {
  readonly subscribers: number
  /** Payload sizes of the messages, used cyclically. */
  readonly frameBytes: ReadonlyArray<number>
}

const upgrades = new WebSocketServer({ noServer: true, perMessageDeflate: false })
const open = new Set<Socket>()
let asked: FanOut = { subscribers: Infinity, frameBytes: [] }

const server = createServer()
server.on("upgrade", (request, socket: Socket, head) => {
  socket.on("error", () => {})
  socket.on("close", () => open.delete(socket))
  upgrades.handleUpgrade(request, socket, head, () => {
    open.add(socket)
    if (open.size === asked.subscribers) pour(asked)
  })
})

/** Writes as fast as the subscribers read, one message per turn of the event loop. */
function pour({ frameBytes, subscribers }: FanOut): void {
  let sequence = 0
  const more = (): void => {
    if (open.size < subscribers) return
    const frame = framed(sequence + 1, frameBytes[sequence % frameBytes.length]!)
    sequence++
    let full: Socket | undefined
    for (const socket of open) if (!socket.write(frame)) full = socket
    if (full === undefined) setImmediate(more)
    else full.once("drain", more)
  }
  more()
}

function framed(sequence: number, bytes: number): Buffer {
  const header = bytes < 126 ? 2 : bytes < 65_536 ? 4 : 10
  const frame = Buffer.alloc(header + bytes, "x")
  frame[0] = 0x81
  if (header === 2) frame[1] = bytes
  else if (header === 4) {
    frame[1] = 126
    frame.writeUInt16BE(bytes, 2)
  } else {
    frame[1] = 127
    frame.writeBigUInt64BE(BigInt(bytes), 2)
  }
  frame.write(`{"type":"trade","sequence":${sequence},"`, header, "latin1")
  return frame
}

process.on("message", (fanOut) => {
  asked = JSON.parse(String(fanOut)) as FanOut
  process.send!("told")
})
process.on("disconnect", () => process.exit(0))
server.listen(0, "127.0.0.1", () => process.send!((server.address() as { readonly port: number }).port))
