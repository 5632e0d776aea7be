/** A web socket that comes back by itself, with pauses that grow until somebody answers. */
import { Effect } from "effect"
import { WebSocket } from "ws"

/** One connection; of no use after it closed. */
export interface Session {
  /** False when the connection is gone or the other side has stopped reading. */
  readonly send: (text: string) => boolean
  readonly drop: (reason: string) => void
  /** Says that the other side accepted us: the next pause is the shortest again. */
  readonly established: () => void
}

export interface Handlers {
  readonly opened: (session: Session) => void
  readonly received: (text: string, session: Session) => void
  readonly closed: (reason: string) => void
}

export interface Backoff {
  readonly firstMillis: number
  readonly maxMillis: number
}

export const patient: Backoff = { firstMillis: 1_000, maxMillis: 30_000 }

/** Stays connected for as long as it runs; interrupting it closes the socket. */
export const keepOpen = Effect.fnUntraced(function* (url: string, handlers: Handlers, backoff: Backoff = patient) {
  let pauseMillis = backoff.firstMillis
  while (true) {
    const state = { established: false, heard: false }
    const reason = yield* Effect.raceFirst(connection(url, handlers, state), silence(state))
    handlers.closed(reason)
    if (state.established) pauseMillis = backoff.firstMillis
    yield* Effect.sleep(pauseMillis)
    pauseMillis = Math.min(pauseMillis * 2, backoff.maxMillis)
  }
})

interface State {
  established: boolean
  heard: boolean
}

const handshakeMillis = 10_000
const establishMillis = 15_000
/** The venue pings every 20 s. */
const silenceMillis = 45_000
const maxUnsentBytes = 1_048_576
const maxFrameBytes = 4_194_304

const connection = (url: string, handlers: Handlers, state: State) =>
  Effect.callback<string>((resume) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: handshakeMillis,
      maxPayload: maxFrameBytes
    })
    const end = (reason: string): void => {
      socket.removeAllListeners()
      // A socket that is ended while it connects reports that as an error.
      socket.on("error", () => {})
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
    socket.on("open", () => handlers.opened(session))
    socket.on("message", (data) => {
      state.heard = true
      handlers.received(data.toString(), session)
    })
    socket.on("ping", () => {
      state.heard = true
    })
    socket.on("error", (error) => end(error.message))
    socket.on("close", (code, reason) => end(`closed with ${code} ${reason.toString()}`.trim()))
    return Effect.sync(() => end("interrupted"))
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
