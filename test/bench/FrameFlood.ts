/**
 * Sockets from one IP address that send frames as fast as a listener accepts them and read all responses. Runs as a
 * child process: after a `FrameFlood` message it reports when the sockets have started, and later sends a
 * `FrameFloodReport`.
 */
import { randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"
import { type FloodKind, type Frames, framesOf } from "./FloodFrames.ts"

export interface FrameFlood {
  readonly kind: FloodKind
  readonly port: number
  readonly address: string
  readonly sockets: number
  readonly seconds: number
}

export interface FrameFloodReport {
  /** Frames written per second over all sockets. */
  readonly framesPerSecond: number
  /** Number of successful and of failed WebSocket upgrades. */
  readonly opened: number
  readonly refused: number
  /** Number of connections that the listener closed. */
  readonly cut: number
}

/** Delay before a closed connection reconnects, in milliseconds. */
const againMillis = 250
const maxUpgrades = 60
const openingMillis = 5_000

function run({ address, kind, port, seconds, sockets }: FrameFlood): void {
  const frames = framesOf(kind)
  const open = new Set<Socket>()
  const counts = { opened: 0, refused: 0, cut: 0 }
  let bytes = 0
  let upgrades = 0
  let isOver = false
  let startedAt = 0

  const begin = (): void => {
    if (isOver || upgrades >= maxUpgrades) return
    upgrades++
    const socket = connect({ port, host: "127.0.0.1", localAddress: address }, () => socket.write(upgradeOf(port)))
    let isOpen = false
    open.add(socket)
    socket.setNoDelay(true)
    socket.on("error", () => {})
    socket.on("close", () => {
      open.delete(socket)
      bytes += socket.bytesWritten
      if (isOver) return
      if (isOpen) counts.cut++
      else counts.refused++
      setTimeout(begin, againMillis)
    })
    socket.once("data", (answer) => {
      isOpen = answer.toString("latin1").startsWith("HTTP/1.1 101")
      if (!isOpen) return void socket.destroy()
      counts.opened++
      socket.resume()
      pour(socket, frames)
      if (counts.opened === sockets) flow()
    })
  }
  const flow = (): void => {
    if (startedAt > 0) return
    startedAt = performance.now()
    process.send!("flowing")
    setTimeout(end, seconds * 1000)
  }
  const end = (): void => {
    isOver = true
    for (const socket of open) {
      bytes += socket.bytesWritten
      socket.removeAllListeners("close")
      socket.destroy()
    }
    const tookSeconds = (performance.now() - startedAt) / 1000
    const framesPerSecond = Math.round(bytes / frames.frameBytes / tookSeconds)
    process.send!({ ...counts, framesPerSecond } satisfies FrameFloodReport)
  }
  for (let i = 0; i < sockets; i++) begin()
  // Starts with the admitted sockets if the listener admits fewer than requested.
  setTimeout(flow, openingMillis)
}

/** Writes one block at a time, so that other sockets and timers also run. */
function pour(socket: Socket, { block, first }: Frames): void {
  const more = (): void => {
    if (socket.destroyed || !socket.writable) return
    if (socket.write(block)) setImmediate(more)
    else socket.once("drain", more)
  }
  socket.write(first)
  more()
}

const upgradeOf = (port: number): string =>
  `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n\r\n`

process.on("message", (asked) => run(JSON.parse(String(asked)) as FrameFlood))
process.on("disconnect", () => process.exit(0))
process.send!("ready")
