/**
 * Invalid sign-ins, sent at fixed times whether or not earlier requests have responses. Each message is valid for its
 * page but signed with another key. Runs as a child process, `SignatureFlood.ts <place>`: after a `Flood` message it
 * reports when the flood has started, and later sends a `FloodReport`.
 */
import { connect, type Socket } from "node:net"
import { body, headersOf, makeWallet, path, type Place } from "./SignInMessages.ts"

export interface Flood {
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
  /** Source IP addresses, which the connections use in rotation. */
  readonly addresses: ReadonlyArray<string>
}

export interface FloodReport {
  readonly sentPerSecond: number
  readonly answeredPerSecond: number
  readonly statuses: Readonly<Record<string, number>>
  /** Number of requests without a response after the final wait. */
  readonly unanswered: number
  /** Number of requests not sent because the connection was closed or its buffer was full. */
  readonly heldBack: number
}

const place = JSON.parse(process.argv[2] ?? "{}") as Place
const maxBufferedBytes = 16 * 1024
/** Number of distinct messages. A message rejected for its signature is sent again later. */
const messages = 4_096
const graceMillis = 3_000

const requests = (): ReadonlyArray<Buffer> => {
  const { address } = makeWallet()
  const { key } = makeWallet()
  const headers = Object.entries(headersOf(place)).map(([name, value]) => `${name}: ${value}\r\n`)
  return Array.from({ length: messages }, () => {
    const text = body(place, address, key)
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\n${headers.join("")}content-length: ${text.length}\r\n\r\n${text}`,
      "latin1"
    )
  })
}

/**
 * Opens a connection that reports each complete response's status. Responses have a content length and arrive in
 * order.
 */
const open = (localAddress: string, answered: (status: string) => void): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port: place.port, localAddress }, () => {
      socket.off("error", reject)
      socket.on("error", () => {})
      resolve(socket)
    })
    socket.once("error", reject)
    socket.setNoDelay(true)
    let text = ""
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1")
      for (;;) {
        const head = text.indexOf("\r\n\r\n")
        if (head < 0) return
        const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1]
        if (length === undefined) return void socket.destroy(new Error("an answer without a length"))
        const end = head + 4 + Number(length)
        if (text.length < end) return
        answered(text.slice(9, 12))
        text = text.slice(end)
      }
    })
  })

const run = async ({ addresses, connections, perSecond, seconds }: Flood): Promise<FloodReport> => {
  const texts = requests()
  const statuses: Record<string, number> = {}
  let sent = 0
  let answered = 0
  let heldBack = 0
  const sockets: Array<Socket> = []
  while (sockets.length < connections) {
    const socket = await open(addresses[sockets.length % addresses.length]!, (status) => {
      answered++
      statuses[status] = (statuses[status] ?? 0) + 1
    })
    sockets.push(socket)
  }
  const startedAt = performance.now()
  process.send!("flowing")
  await new Promise<void>((resolve) => {
    let turn = 0
    const timer = setInterval(() => {
      const elapsed = Math.min(performance.now() - startedAt, seconds * 1000)
      for (; turn < (elapsed * perSecond) / 1000; turn++) {
        const socket = sockets[turn % sockets.length]!
        if (!socket.writable || socket.writableLength > maxBufferedBytes) heldBack++
        else {
          sent++
          socket.write(texts[turn % texts.length]!)
        }
      }
      if (elapsed < seconds * 1000) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  const tookSeconds = (performance.now() - startedAt) / 1000
  const answeredPerSecond = answered / tookSeconds
  const until = performance.now() + graceMillis
  const isOutstanding = (): boolean => answered < sent
  while (isOutstanding() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 10))
  for (const socket of sockets) socket.destroy()
  return {
    sentPerSecond: sent / tookSeconds,
    answeredPerSecond,
    statuses,
    unanswered: sent - answered,
    heldBack
  }
}

process.on("message", (flood) => void run(JSON.parse(String(flood)) as Flood).then((report) => process.send!(report)))
process.on("disconnect", () => process.exit(0))
process.send!("ready")
