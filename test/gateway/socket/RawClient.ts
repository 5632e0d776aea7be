/** WebSocket client that writes raw frames, valid or not, and reads the replies. */
import { Effect } from "effect"
import { connect, type Socket } from "node:net"

export interface RawClient {
  readonly socket: Socket
  readonly write: (...frames: ReadonlyArray<Uint8Array>) => void
  readonly texts: ReadonlyArray<string>
  readonly pongs: () => number
  /** Close code and reason that the server sent. */
  readonly closed: () => { readonly code: number; readonly reason: string } | undefined
  /** Waits until received data makes the condition true. */
  readonly until: (holds: () => boolean) => Effect.Effect<void>
}

export const opcodes = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const

/** Returns a masked frame. The mask is zero, so the payload is unchanged. */
export const frame = (opcode: keyof typeof opcodes, payload = "", isFinal = true): Buffer => {
  const bytes = Buffer.from(payload)
  const first = (isFinal ? 0x80 : 0) | opcodes[opcode]
  const length =
    bytes.length < 126
      ? [0x80 | bytes.length]
      : bytes.length < 65_536
        ? [0x80 | 126, bytes.length >> 8, bytes.length & 0xff]
        : [0x80 | 127, 0, 0, 0, 0, 0, bytes.length >> 16, (bytes.length >> 8) & 0xff, bytes.length & 0xff]
  return Buffer.concat([Buffer.from([first, ...length, 0, 0, 0, 0]), bytes])
}

/** Returns a message in `count` fragments of one byte. */
export const fragmented = (count: number, isFinished = true): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, at) =>
      frame(at === 0 ? "text" : "continuation", "x", isFinished && at === count - 1)
    )
  )

/** Connects a client; the listener under test treats `from` as the client's address. */
export const open = (port: number, from = "") =>
  Effect.acquireRelease(
    Effect.callback<RawClient>((resume) => {
      const socket = connect({ host: "127.0.0.1", port })
      const onData = listener(socket, (client) => resume(Effect.succeed(client)))
      socket.setNoDelay(true)
      socket.on("error", () => {})
      socket.on("data", onData)
      socket.write(
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n" +
          `Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nX-From: ${from}\r\n\r\n`
      )
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

function listener(socket: Socket, opened: (client: RawClient) => void): (bytes: Buffer) => void {
  const texts: Array<string> = []
  let pongs = 0
  let closed: { readonly code: number; readonly reason: string } | undefined
  let isOpen = false
  let pending: Buffer = Buffer.alloc(0)
  let look = () => {}
  const client: RawClient = {
    socket,
    write: (...frames) => void socket.write(Buffer.concat(frames)),
    texts,
    pongs: () => pongs,
    closed: () => closed,
    until: (holds) =>
      Effect.callback<void>((resume) => {
        look = () => void (holds() && resume(Effect.void))
        look()
      })
  }
  const take = (opcode: number, payload: Buffer) => {
    if (opcode === opcodes.text) texts.push(String(payload))
    if (opcode === opcodes.pong) pongs++
    if (opcode === opcodes.close) closed = { code: payload.readUInt16BE(0), reason: String(payload.subarray(2)) }
  }
  return (bytes) => {
    pending = Buffer.concat([pending, bytes])
    if (!isOpen) {
      const end = pending.indexOf("\r\n\r\n")
      if (end < 0) return
      pending = pending.subarray(end + 4)
      isOpen = true
      opened(client)
    }
    while (pending.length >= 2) {
      const short = pending[1]!
      const header = short < 126 ? 2 : short === 126 ? 4 : 10
      if (pending.length < header) break
      const length = short < 126 ? short : short === 126 ? pending.readUInt16BE(2) : Number(pending.readBigUInt64BE(2))
      if (pending.length < header + length) break
      take(pending[0]! & 0x0f, pending.subarray(header, header + length))
      pending = pending.subarray(header + length)
    }
    look()
  }
}
