/** Connections that come and go, most of them before they have said anything that makes sense. */
import { connect } from "node:net"

export interface Churn {
  /** Connections so far. */
  readonly count: () => number
  /** Those that were told that their address comes too often. */
  readonly refused: () => number
  /** Resolves when the last of them is gone. */
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

/** Half of a masked frame that never ends. */
const halfFrame = "\x81\xfe\x7f\xff1234"
const openings = [upgrade, upgrade + halfFrame, upgrade.slice(0, 60), "", "\x16\x03\x01 this is no HTTP\r\n\r\n"]

/** A few at a time from one address, at all of the ports. */
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

/** Says that, hears what comes first or nothing, and is gone without a word. */
const visit = (port: number, localAddress: string, opening: string): Promise<string> =>
  new Promise((tell) => {
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
      tell(answer)
    })
  })

const staysMillis = 20
const atATime = 4
