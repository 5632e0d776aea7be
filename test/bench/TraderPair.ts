/** Two users' connections: the maker rests the orders of this pair's records, and the taker takes them. */
import type { Socket } from "node:net"
import { WebSocket } from "ws"
import { Kind } from "./Flow.ts"
import { authFrame, type Key, statusOf } from "./LoadFrames.ts"

/** Record of all pairs' commands, which the pairs share. */
export interface Ledger {
  readonly idOf: (frame: string) => number
  readonly write: (kind: number, side: number, price: number, quantity: number, id: number) => string
  /** Send time of the add (or of the cancel) by order id; 0 if no such command is in flight. */
  readonly addedAt: Float64Array
  readonly cancelledAt: Float64Array
  readonly answered: (sentAt: number, kind: "done" | "missed" | "refused", status: string, id: number) => void
  readonly filled: (frame: string, maker: boolean) => void
  readonly failed: (reason: string) => void
}

export interface TraderPairOptions {
  readonly url: string
  readonly maker: Key
  readonly taker: Key
  readonly takerChannels: ReadonlyArray<string>
  /**
   * True to send a record only after the twin connection's earlier records have responses. Control totals need exact
   * order.
   */
  readonly ordered: boolean
}

export class TraderPair {
  inFlight = 0
  /** Stops sending. In-flight commands still receive their responses. */
  stopped = true
  #offsets: Int32Array = new Int32Array(0)
  #next = 0
  #window = 0
  #lastSocket: WebSocket | null = null
  #whenIdle: (() => void) | null = null
  #whenAcknowledged: (() => void) | null = null
  readonly #maker: WebSocket
  readonly #taker: WebSocket
  readonly #records: Int32Array
  readonly #ledger: Ledger
  readonly #ordered: boolean

  private constructor(maker: WebSocket, taker: WebSocket, records: Int32Array, ledger: Ledger, ordered: boolean) {
    this.#maker = maker
    this.#taker = taker
    this.#records = records
    this.#ledger = ledger
    this.#ordered = ordered
    for (const socket of [maker, taker]) {
      socket.on("message", (data: Buffer) => this.#read(data.toString("latin1"), socket))
      socket.on("close", (code: number) => ledger.failed(`a connection closed with ${code}`))
    }
  }

  static async open(options: TraderPairOptions, records: Int32Array, ledger: Ledger): Promise<TraderPair> {
    const [maker, taker] = await Promise.all([
      connect(options.url, options.maker, ["order_responses"]),
      connect(options.url, options.taker, options.takerChannels)
    ])
    return new TraderPair(maker, taker, records, ledger, options.ordered)
  }

  /**
   * Sends the records at these offsets with `window` commands in flight. Resolves when all have responses, or after
   * `stop`.
   */
  run(offsets: Int32Array, window: number): Promise<void> {
    this.#offsets = offsets
    this.#next = 0
    this.#window = window
    this.stopped = false
    return new Promise((resolve) => {
      this.#whenIdle = resolve
      this.#fill()
    })
  }

  /** Cancels the maker's orders left open by an earlier run. */
  clear(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenAcknowledged = resolve
      this.#maker.send(`{"type":"cancel_all_orders","params":{}}`)
    })
  }

  close(): void {
    for (const socket of [this.#maker, this.#taker]) {
      socket.removeAllListeners()
      socket.on("error", () => {})
      socket.terminate()
    }
  }

  #fill(): void {
    const records = this.#records
    while (!this.stopped && this.inFlight < this.#window && this.#next < this.#offsets.length) {
      const at = this.#offsets[this.#next]!
      const kind = records[at]!
      const socket = kind === Kind.market ? this.#taker : this.#maker
      if (this.#ordered && this.inFlight > 0 && socket !== this.#lastSocket) return
      this.#lastSocket = socket
      this.#next++
      this.inFlight++
      const id = records[at + 4]!
      const sent = kind === Kind.cancel ? this.#ledger.cancelledAt : this.#ledger.addedAt
      cork(socket)
      sent[id] = performance.now()
      socket.send(this.#ledger.write(kind, records[at + 1]!, records[at + 2]!, records[at + 3]!, id))
    }
    if (this.inFlight === 0 && this.#whenIdle !== null) {
      const done = this.#whenIdle
      this.#whenIdle = null
      done()
    }
  }

  #read(frame: string, socket: WebSocket): void {
    const status = statusOf(frame)
    if (status === "") return this.#readOther(frame, socket)
    if (status === "FILLED") return this.#ledger.filled(frame, socket === this.#maker)
    if (status.startsWith("IOC_") || status === "CANCELLED_STP") return
    const id = this.#ledger.idOf(frame)
    if (status === "CANCELLED" || status === "NO_SUCH_ORDER") {
      this.#answer(this.#ledger.cancelledAt, id, status === "CANCELLED" ? "done" : "missed", status)
    } else {
      this.#answer(this.#ledger.addedAt, id, status === "ACK" ? "done" : "refused", status)
    }
  }

  #readOther(frame: string, socket: WebSocket): void {
    if (frame.startsWith(`{"fill_response"`)) return this.#ledger.filled(frame, socket === this.#maker)
    if (frame.startsWith(`{"ack"`)) return this.#whenAcknowledged?.()
    if (!frame.startsWith(`{"err"`)) return
    const error = JSON.parse(frame).err
    const params = error.incoming_message?.params ?? {}
    const isCancel = error.incoming_message?.type === "cancel_order"
    const id = this.#ledger.idOf(`"client_order_id":"${isCancel ? params.order_id : params.client_order_id}"`)
    if (id === 0) return this.#ledger.failed(frame)
    this.#answer(isCancel ? this.#ledger.cancelledAt : this.#ledger.addedAt, id, "refused", error.error_code)
  }

  #answer(sent: Float64Array, id: number, kind: "done" | "missed" | "refused", status: string): void {
    const sentAt = sent[id]
    // Skips an earlier run's order, and an order that closed without a command from this run.
    if (sentAt === undefined || sentAt === 0) return
    sent[id] = 0
    this.inFlight--
    this.#ledger.answered(sentAt, kind, status, id)
    this.#fill()
  }
}

const corked = new Set<Socket>()

/**
 * Combines all frames that one turn of the event loop sends on a socket into one write, because responses and the
 * next commands come in bursts.
 */
function cork(client: WebSocket): void {
  const socket = (client as unknown as { readonly _socket: Socket })._socket
  if (corked.has(socket)) return
  socket.cork()
  if (corked.size === 0) process.nextTick(uncork)
  corked.add(socket)
}

function uncork(): void {
  for (const socket of corked) socket.uncork()
  corked.clear()
}

export function connect(url: string, key: Key, channels: ReadonlyArray<string>): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    // A zero mask costs the client nothing to apply, but the server still has to remove it.
    const socket = new WebSocket(url, { perMessageDeflate: false, generateMask: (mask) => mask.fill(0) })
    let confirmed = 0
    const refuse = (reason: string): void => {
      reject(new Error(`${url}: ${reason}`))
      socket.terminate()
    }
    socket.once("open", () => socket.send(authFrame(key)))
    socket.on("error", (error) => refuse(error.message))
    socket.once("close", (code) => refuse(`closed with ${code} before it was ready`))
    socket.on("message", (data) => {
      const frame = data.toString()
      if (frame.includes(`"authenticated":true`)) {
        socket.send(JSON.stringify({ type: "subscribe", params: { channels } }))
      } else if (frame.startsWith(`{"subscribed"`)) {
        if (++confirmed < channels.length) return
        socket.removeAllListeners("message")
        socket.removeAllListeners("close")
        resolve(socket)
      } else if (frame.startsWith(`{"err"`)) {
        refuse(frame)
      }
    })
  })
}
