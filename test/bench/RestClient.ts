/**
 * Closed loop of signed reads over keep-alive connections, with one request in flight on each. Runs as a child
 * process: `fork("RestClient.ts", [JSON.stringify(options)])` sends its parent a `RestReport`.
 */
import { createHmac, randomBytes } from "node:crypto"
import { connect, type Socket } from "node:net"

export interface RestOptions {
  readonly port: number
  readonly path: string
  readonly keys: ReadonlyArray<{ readonly public_key: string; readonly secret_key: string }>
  /** Access token. Without a token, each request is signed with one of the keys, in rotation. */
  readonly token?: string
  readonly connections: number
  readonly seconds: number
}

export interface RestReport {
  readonly reads: number
  readonly readsPerSecond: number
  readonly p50Millis: number
  readonly p99Millis: number
  /** Number of responses other than 200, by status. */
  readonly refused: Readonly<Record<string, number>>
}

const options = JSON.parse(process.argv[2] ?? "{}") as RestOptions
const took: Array<number> = []
const refused: Record<string, number> = {}
let measuring = false
let nonce = BigInt(`0x${randomBytes(12).toString("hex")}`)

const request = (index: number): string => {
  const { path, port, token } = options
  const head = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\n`
  if (token !== undefined) return `${head}Authorization: Bearer ${token}\r\n\r\n`
  const { public_key, secret_key } = options.keys[index % options.keys.length]!
  const once = (nonce++).toString(16)
  const at = Math.floor(Date.now() / 1000)
  const signature = createHmac("sha256", secret_key).update(`${once}:${at}`).digest("hex")
  return (
    `${head}x-svc-public-key: ${public_key}\r\nx-svc-nonce: ${once}\r\nx-svc-timestamp: ${at}\r\n` +
    `x-svc-hmac-signature: ${signature}\r\n\r\n`
  )
}

/**
 * Opens a connection that reads complete responses. Each response has a content length, and responses arrive one at a
 * time.
 */
const open = (index: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(options.port, "127.0.0.1", () => resolve(socket))
    socket.setNoDelay(true)
    let text = ""
    let sentAt = 0
    const send = (): void => {
      sentAt = performance.now()
      socket.write(request(index))
    }
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1")
      const head = text.indexOf("\r\n\r\n")
      if (head < 0) return
      const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1]
      if (length === undefined) return reject(new Error("an answer without a length"))
      if (text.length < head + 4 + Number(length)) return
      const status = text.slice(9, 12)
      text = ""
      if (measuring) {
        took.push(performance.now() - sentAt)
        if (status !== "200") refused[status] = (refused[status] ?? 0) + 1
      }
      send()
    })
    socket.on("error", reject)
    socket.once("connect", send)
  })

const sockets = await Promise.all(Array.from({ length: options.connections }, (_, index) => open(index)))
const startedAt = performance.now()
measuring = true
await new Promise((resolve) => setTimeout(resolve, options.seconds * 1000))
measuring = false
const seconds = (performance.now() - startedAt) / 1000
for (const socket of sockets) socket.destroy()
took.sort((a, b) => a - b)
const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? NaN
const report: RestReport = {
  reads: took.length,
  readsPerSecond: took.length / seconds,
  p50Millis: at(0.5),
  p99Millis: at(0.99),
  refused
}
process.send!(report, () => process.exit(0))
