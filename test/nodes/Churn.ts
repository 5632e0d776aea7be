/** Connections that open and close continuously, most of them before a complete request. */
import { connect } from "node:net"

export interface Churn {
  readonly count: () => number
  /** Returns the number of connections refused with status 429 because their IP address connects too often. */
  readonly refused: () => number
  /** Resolves when the last connection is closed. */
  readonly stop: () => Promise<void>
}

const upgrade = [
  "GET / HTTP/1.1",
  "Host: venue",
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "",
  ""
].join("\r\n")

/** Header of a masked 32 KiB frame, and the first 4 bytes of its payload. */
const halfFrame = "\x81\xfe\x7f\xff1234"
const openings = [upgrade, upgrade + halfFrame, upgrade.slice(0, 60), "", "\x16\x03\x01 this is no HTTP\r\n\r\n"]

/** Keeps four connections open from one IP address, using each port in turn. */
export const begin = (ports: ReadonlyArray<number>, from: string): Churn => {
  let count = 0
  let refused = 0
  const over = new AbortController()
  const run = async () => {
    while (!over.signal.aborted) {
      count++
      const answer = await visit(ports[count % ports.length]!, from, openings[count % openings.length]!)
      if (answer.startsWith("HTTP/1.1 429 ")) refused++
    }
  }
  const running = Promise.all(Array.from({ length: atATime }, run))
  return {
    count: () => count,
    refused: () => refused,
    stop: async () => {
      over.abort()
      await running
    }
  }
}

/**
 * Sends the opening bytes and drops the connection. Returns the first bytes of the response, or an empty string after
 * 20 ms.
 */
const visit = (port: number, localAddress: string, opening: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = ""
    const socket = connect({ host: "127.0.0.1", port, localAddress }, () => socket.write(opening, "latin1"))
    const leave = setTimeout(() => socket.destroy(), staysMillis)
    socket.once("data", (data) => {
      answer = String(data)
      socket.destroy()
    })
    socket.on("error", () => {})
    socket.once("close", () => {
      clearTimeout(leave)
      resolve(answer)
    })
  })

const staysMillis = 20
const atATime = 4
