/** Price source on a WebSocket that reconnects by itself. */
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { Clock, Effect, Redacted, Schedule } from "effect"
import { text } from "node:stream/consumers"
import { WebSocket } from "ws"
import { type Hide, hiding, refusalOf, statusReason } from "../HttpAnswer.ts"
import type { Contracts, Listener, PriceSource } from "./PriceSource.ts"
import { type Fields, readCurrent } from "./Prints.ts"
import * as SourceState from "./SourceState.ts"

export interface WebSocketPricesOptions {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, Redacted.Redacted>>
  readonly greeting: ReadonlyArray<string>
  /** Time without a price after which a connection is closed, in milliseconds. */
  readonly silenceMillis: number
  readonly fields: Fields
  readonly symbols: ReadonlyMap<MarketSymbol, Contracts>
  readonly unchangedMillis?: number
}

export const make = (options: WebSocketPricesOptions): PriceSource => {
  const headers = headersOf(options)
  const hide = hiding(options.url, ...Object.values(headers))
  const state = SourceState.make(options.name, hide)
  return {
    name: options.name,
    symbols: options.symbols,
    ...(options.unchangedMillis === undefined ? {} : { unchangedMillis: options.unchangedMillis }),
    fault: state.fault,
    run: (listener) => {
      const attempt = Effect.suspend(() => {
        const received: Received = { prints: false, ever: false, fault: undefined }
        return connection({ ...options, headers, hide }, listener, received, state).pipe(
          Effect.raceFirst(silence(options.silenceMillis, received)),
          Effect.tap(state.failed),
          Effect.flatMap((why) => (received.ever ? Effect.void : Effect.fail(why)))
        )
      })
      return attempt.pipe(
        Effect.retry(growing),
        Effect.repeat(Schedule.spaced(firstPause)),
        Effect.orDie,
        Effect.andThen(Effect.never)
      )
    }
  }
}

/** Whether prices have arrived since the last check, and whether any have ever arrived. */
interface Received {
  prints: boolean
  ever: boolean
  /** Reason why the last message with prices was skipped. */
  fault: string | undefined
}

interface ConnectionOptions extends Omit<WebSocketPricesOptions, "headers"> {
  readonly headers: Readonly<Record<string, string>>
  readonly hide: Hide
}

const headersOf = ({ headers }: WebSocketPricesOptions): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([header, value]) => [header, Redacted.value(value)]))

/** Runs one connection, and returns the reason why it closed. */
const connection = (
  options: ConnectionOptions,
  { tell }: Listener,
  received: Received,
  state: SourceState.SourceState
) =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const clock = yield* Clock.Clock
    return yield* Effect.callback<string>((resume) => {
      const socket = new WebSocket(options.url, { ...bounds, headers: options.headers })
      const end = (why: string): void => {
        socket.removeAllListeners()
        // Terminating a socket while it connects emits an error.
        socket.on("error", () => {})
        socket.terminate()
        resume(Effect.succeed(why))
      }
      socket.on("open", () => {
        for (const text of options.greeting) socket.send(text)
      })
      socket.on("message", (data) => {
        const { fault, prints } = readCurrent(options.fields, data.toString(), clock.currentTimeMillisUnsafe())
        if (fault !== undefined) received.fault = fault
        if (prints.length === 0) return
        if (!received.ever) run(state.works)
        received.prints = true
        received.ever = true
        for (const print of prints) tell(print)
      })
      socket.on("error", (error) => end(error.message))
      socket.on("unexpected-response", (_request, response) => {
        const status = response.statusCode ?? 0
        response.on("data", () => {
          if (response.socket.bytesRead > maxRefusalBytes) end(statusReason(status, undefined))
        })
        text(response).then(
          (body) => end(statusReason(status, refusalOf(body, options.hide))),
          () => end(statusReason(status, undefined))
        )
      })
      socket.on("close", (code) => end(`the connection closed with code ${code}`))
      return Effect.sync(() => end("closed by the venue"))
    })
  })

const silence = Effect.fnUntraced(function* (millis: number, received: Received) {
  do {
    received.prints = false
    received.fault = undefined
    yield* Effect.sleep(millis)
  } while (received.prints)
  return `no price for ${millis / 1_000} s${received.fault === undefined ? "" : `: ${received.fault}`}`
})

const bounds = { perMessageDeflate: false, maxPayload: 1_048_576, handshakeTimeout: 10_000 }
const maxRefusalBytes = 65_536
const firstPause = "1 second"
const growing = Schedule.jittered(Schedule.min([Schedule.exponential(firstPause), Schedule.spaced("30 seconds")]))
