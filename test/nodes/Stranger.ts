/** A client that keeps no rule: it comes from any address of this machine, sends any bytes and reads when it likes. */
import { createConnection, type NetConnectOpts } from "node:net"
import { WebSocket } from "ws"

export interface End {
  readonly code: number
  readonly reason: string
}

export interface Stranger {
  /** Its own port: the name under which the kernel knows the connection. */
  readonly port: number
  /** Dropped when the connection is over, or when this side already holds more than a mebibyte back. */
  readonly send: (data: string | Buffer) => boolean
  /** Reads nothing from now on. */
  readonly freeze: () => void
  readonly thaw: () => void
  readonly ended: Promise<End>
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** Addresses of this machine; limits are kept for each. */
export const address = (number: number): string => `127.0.0.${10 + number}`

export const come = async (url: string, from: string, heard: (text: string) => void = () => {}): Promise<Stranger> => {
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
  ws.on("message", (data) => heard(String(data)))
  const ended = new Promise<End>((tell) => ws.once("close", (code, reason) => tell({ code, reason: String(reason) })))
  await new Promise<void>((tell, refuse) => {
    ws.once("open", tell)
    ws.once("error", refuse)
  })
  // A venue that cuts it off is what a stranger has to expect.
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
