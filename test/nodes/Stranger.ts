/** A raw client: it connects from any loopback IP address, sends any bytes, and can stop reading. */
import { createConnection, type NetConnectOpts } from "node:net"
import { WebSocket } from "ws"

export interface End {
  readonly code: number
  readonly reason: string
}

export interface Stranger {
  /** Local port, which identifies the connection in the kernel's tables. */
  readonly port: number
  /** Sends the data. Returns false if the connection is closed or this client has buffered more than 1 MiB. */
  readonly send: (data: string | Buffer) => boolean
  /** Stops reading. */
  readonly freeze: () => void
  readonly thaw: () => void
  readonly ended: Promise<End>
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** Returns a loopback IP address for this number. Each IP address has separate rate limits. */
export const address = (number: number): string => `127.0.0.${10 + number}`

export const come = async (
  url: string,
  from: string,
  receive: (text: string) => void = () => {}
): Promise<Stranger> => {
  let port = 0
  const ws = new WebSocket(url, {
    localAddress: from,
    maxPayload: 0,
    createConnection: ((options: NetConnectOpts) => {
      const socket = createConnection(options)
      socket.once("connect", () => (port = socket.localPort ?? 0))
      return socket
    }) as typeof createConnection
  })
  ws.on("message", (data) => receive(String(data)))
  const ended = new Promise<End>((resolve) =>
    ws.once("close", (code, reason) => resolve({ code, reason: String(reason) }))
  )
  await new Promise<void>((resolve, reject) => {
    ws.once("open", resolve)
    ws.once("error", reject)
  })
  // The venue might close the connection abruptly.
  ws.on("error", () => {})
  const isOpen = () => ws.readyState === WebSocket.OPEN
  return {
    port,
    send: (data) => {
      if (!isOpen() || ws.bufferedAmount > maxHeldBack) return false
      ws.send(data)
      return true
    },
    freeze: () => ws.pause(),
    thaw: () => ws.resume(),
    ended,
    isOpen,
    close: () => ws.terminate()
  }
}

const maxHeldBack = 1024 * 1024
