/** WebSocket that reconnects with exponential backoff. */
import { Effect, Schedule } from "effect"
import { WebSocket } from "ws"
import type { CredentialsUnavailable } from "./Credentials.ts"

/** One connection, which cannot be used after it has closed. */
export interface Session {
  /** Sends text; returns false if the connection is closed or has more than 1 MiB unsent. */
  readonly send: (text: string) => boolean
  /** Closes the connection and reconnects. */
  readonly drop: (reason: string) => void
  /** Marks the connection as accepted, which resets the backoff. */
  readonly established: () => void
}

/** Callbacks of a reconnecting socket. */
export interface Handlers {
  /** Text to send first on each connection; created anew before the connection is opened. */
  readonly greeting: Effect.Effect<string, CredentialsUnavailable>
  readonly opened: () => void
  readonly received: (text: string, session: Session) => void
  readonly closed: (reason: string) => void
}

/** Bounds of the delay between connection attempts. */
export interface Backoff {
  readonly firstMillis: number
  readonly maxMillis: number
}

/** Default backoff: 1 s to 30 s. */
export const patient: Backoff = { firstMillis: 1_000, maxMillis: 30_000 }

/** Keeps a socket connected until interrupted. The interruption closes the socket with code 1000. */
export const keepOpen = (url: string, handlers: Handlers, backoff: Backoff = patient): Effect.Effect<void> => {
  const { firstMillis, maxMillis } = backoff
  const attempt = Effect.suspend(() => {
    const state: State = { established: false, received: false }
    return handlers.greeting.pipe(
      Effect.flatMap((greeting) => Effect.raceFirst(connection(url, greeting, handlers, state), silence(state))),
      Effect.catch(({ reason }) => Effect.succeed(reason)),
      Effect.tap((reason) => Effect.sync(() => handlers.closed(reason))),
      Effect.flatMap((reason) => (state.established ? Effect.void : Effect.fail(reason)))
    )
  })
  // Jitter keeps a venue's clients from reconnecting at the same moment.
  const growing = Schedule.jittered(Schedule.min([Schedule.exponential(firstMillis), Schedule.spaced(maxMillis)]))
  return attempt.pipe(
    Effect.retry(growing),
    Effect.repeat(Schedule.jittered(Schedule.spaced(firstMillis))),
    // Both schedules are infinite, so the failure never surfaces.
    Effect.orDie,
    Effect.asVoid
  )
}

interface State {
  established: boolean
  /** True if data arrived in the current silence interval. */
  received: boolean
}

const bounds = {
  perMessageDeflate: false,
  maxPayload: 4_194_304,
  /** Time limit for the handshake, in milliseconds. */
  handshakeTimeout: 10_000,
  /** Time limit for the close, in milliseconds. */
  closeTimeout: 1_000
}
const establishMillis = 15_000
/** More than two ping intervals: the venue sends a ping every 20 s. */
const silenceMillis = 45_000
const maxUnsentBytes = 1_048_576

const connection = (url: string, greeting: string, handlers: Handlers, state: State) =>
  Effect.callback<string>((resume) => {
    const socket = new WebSocket(url, bounds)
    const forget = (): void => {
      socket.removeAllListeners()
      // Without this listener, terminating a socket during its handshake would raise an unhandled error event.
      socket.on("error", () => {})
    }
    const end = (reason: string): void => {
      forget()
      socket.terminate()
      resume(Effect.succeed(reason))
    }
    const session: Session = {
      send: (text) => {
        if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > maxUnsentBytes) return false
        socket.send(text)
        return true
      },
      drop: end,
      established: () => {
        state.established = true
      }
    }
    socket.on("open", () => {
      handlers.opened()
      session.send(greeting)
    })
    socket.on("message", (data) => {
      state.received = true
      handlers.received(data.toString(), session)
    })
    socket.on("ping", () => {
      state.received = true
    })
    socket.on("error", (error) => end(error.message))
    socket.on("close", (code, reason) => end(`closed with code ${code} ${reason.toString()}`.trim()))
    return Effect.suspend(() => {
      forget()
      return goodbye(socket)
    })
  })

/** Closes the socket after all queued data is sent; waits at most `closeTimeout` for the venue's close frame. */
const goodbye = (socket: WebSocket) =>
  Effect.callback<void>((resume) => {
    if (socket.readyState === WebSocket.CLOSED) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
    else socket.close(1000)
  })

const silence = Effect.fnUntraced(function* (state: State) {
  yield* Effect.sleep(establishMillis)
  if (!state.established) return `the connection was not established within ${establishMillis / 1_000} s`
  while (true) {
    state.received = false
    yield* Effect.sleep(silenceMillis)
    if (!state.received) return `nothing received for ${silenceMillis / 1_000} s`
  }
})
