/** A web socket that comes back by itself, with pauses that grow until somebody answers. */
import { Effect, Schedule } from "effect"
import { WebSocket } from "ws"
import type { CredentialsUnavailable } from "./Credentials.ts"

/** One connection; of no use after it closed. */
export interface Session {
  /** False when the connection is gone or the other side has stopped reading. */
  readonly send: (text: string) => boolean
  readonly drop: (reason: string) => void
  /** Says that the other side accepted us: the next pause is the shortest again. */
  readonly established: () => void
}

export interface Handlers {
  /** What is said first. It is made anew for each connection, before that is opened. */
  readonly greeting: Effect.Effect<string, CredentialsUnavailable>
  readonly opened: () => void
  readonly received: (text: string, session: Session) => void
  readonly closed: (reason: string) => void
}

export interface Backoff {
  readonly firstMillis: number
  readonly maxMillis: number
}

export const patient: Backoff = { firstMillis: 1_000, maxMillis: 30_000 }

/** Stays connected for as long as it runs; interrupting it says goodbye and closes the socket. */
export const keepOpen = (url: string, handlers: Handlers, backoff: Backoff = patient): Effect.Effect<void> => {
  const { firstMillis, maxMillis } = backoff
  const attempt = Effect.suspend(() => {
    const state: State = { established: false, heard: false }
    return handlers.greeting.pipe(
      Effect.flatMap((greeting) => Effect.raceFirst(connection(url, greeting, handlers, state), silence(state))),
      Effect.catch(({ reason }) => Effect.succeed(reason)),
      Effect.tap((reason) => Effect.sync(() => handlers.closed(reason))),
      Effect.flatMap((reason) => (state.established ? Effect.void : Effect.fail(reason)))
    )
  })
  // Those who lost the same venue do not all come back at the same moment.
  const growing = Schedule.jittered(Schedule.min([Schedule.exponential(firstMillis), Schedule.spaced(maxMillis)]))
  return attempt.pipe(
    Effect.retry(growing),
    Effect.repeat(Schedule.jittered(Schedule.spaced(firstMillis))),
    // Neither schedule has an end.
    Effect.orDie,
    Effect.asVoid
  )
}

interface State {
  established: boolean
  heard: boolean
}

const bounds = {
  perMessageDeflate: false,
  maxPayload: 4_194_304,
  /** Milliseconds, as is the next. */
  handshakeTimeout: 10_000,
  closeTimeout: 1_000
}
const establishMillis = 15_000
/** The venue pings every 20 s. */
const silenceMillis = 45_000
const maxUnsentBytes = 1_048_576

const connection = (url: string, greeting: string, handlers: Handlers, state: State) =>
  Effect.callback<string>((resume) => {
    const socket = new WebSocket(url, bounds)
    const forget = (): void => {
      socket.removeAllListeners()
      // A socket that is ended while it connects reports that as an error.
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
      state.heard = true
      handlers.received(data.toString(), session)
    })
    socket.on("ping", () => {
      state.heard = true
    })
    socket.on("error", (error) => end(error.message))
    socket.on("close", (code, reason) => end(`closed with ${code} ${reason.toString()}`.trim()))
    return Effect.suspend(() => {
      forget()
      return goodbye(socket)
    })
  })

/** What was sent before still arrives; nobody waits for long for an answer. */
const goodbye = (socket: WebSocket) =>
  Effect.callback<void>((resume) => {
    if (socket.readyState === WebSocket.CLOSED) return resume(Effect.void)
    socket.once("close", () => resume(Effect.void))
    if (socket.readyState === WebSocket.CONNECTING) socket.terminate()
    else socket.close(1000)
  })

const silence = Effect.fnUntraced(function* (state: State) {
  yield* Effect.sleep(establishMillis)
  if (!state.established) return "not accepted in time"
  while (true) {
    state.heard = false
    yield* Effect.sleep(silenceMillis)
    if (!state.heard) return "nothing was heard for too long"
  }
})
