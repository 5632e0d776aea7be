/** A client in the same process: sends frames and takes what comes back. */
import type * as MarketData from "@venue/api/marketData/FrameSchema"
import type * as Trade from "@venue/api/trade/FrameSchema"
import { maxWaitingBytes, type Receiver } from "@venue/gateway/socket/Transport"
import { Effect, type Scope } from "effect"
import { type Accept, observed } from "./Observers.ts"

export interface Close {
  readonly code: number
  readonly reason: string
}

/** `Frames` names the frames by their kind, `Frame` is any of them. */
export interface Client<Frames = Trade.Frames, Frame = Trade.Frame> {
  /** Sends a message as JSON. */
  readonly send: (message: object) => Effect.Effect<void>
  /** Sends messages in one turn, so that the venue has all of them before it can answer the first. */
  readonly sendAll: (messages: ReadonlyArray<object>) => Effect.Effect<void>
  /** Sends text as it is. */
  readonly sendText: (text: string) => Effect.Effect<void>
  /**
   * The oldest frame of this kind: one with this key at its top, or with this `type`. Waits for it, in real time, and
   * dies naming what did come when it does not. Frames of other kinds stay.
   */
  readonly take: <Kind extends keyof Frames & string>(kind: Kind) => Effect.Effect<Frames[Kind]>
  /** Frames that came and were not taken, oldest first. */
  readonly waiting: () => ReadonlyArray<Frame>
  /** Takes them all. To be sure that nothing more comes, let the venue settle first. */
  readonly drain: Effect.Effect<ReadonlyArray<Frame>>
  /** From now on so many bytes seem to wait unread in the socket; 0 reads again. */
  readonly lag: (bytes: number) => Effect.Effect<void>
  /** Frames the client sent that the venue has not read yet, because too many answers to the client are outstanding. */
  readonly unread: () => number
  /** From now on the client answers no ping, as one whose network is gone. */
  readonly silence: Effect.Effect<void>
  /** The venue's socket finds that the client is gone. */
  readonly giveUp: Effect.Effect<void>
  /** Ends the connection from the client's side. */
  readonly close: Effect.Effect<void>
  /** How the venue closed the connection, if it did. */
  readonly closedWith: () => Close | undefined
}

export type MarketDataClient = Client<MarketData.Frames, MarketData.Frame>

/** Connects to whatever accepts sockets; leaving the scope closes the connection. */
export const open = (accept: Accept): Effect.Effect<Client, never, Scope.Scope> => opened(observed("trade", accept))

/** The same of a market-data socket. */
export const openMarketData = (accept: Accept): Effect.Effect<MarketDataClient, never, Scope.Scope> =>
  opened(observed("market_data", accept))

const opened = <Frames, Frame>(accept: Accept): Effect.Effect<Client<Frames, Frame>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => connect<Frames, Frame>(accept)),
    (client) => client.close
  )

/** Real time; longer than a move of an entity between nodes takes, shorter than a test may last. */
const patienceMillis = 20_000

type Fields = Readonly<Record<string, unknown>>

interface Taker {
  readonly kind: string
  readonly give: (frame: Fields) => void
}

const isKind =
  (kind: string) =>
  (frame: Fields): boolean =>
    frame["type"] === kind || kind in frame

function connect<Frames, Frame>(accept: Accept): Client<Frames, Frame> {
  let frames: Array<Fields> = []
  let takers: Array<Taker> = []
  const { lag, ...link } = lagging()
  let closedWith: Close | undefined
  let isSilent = false
  const arrive = (frame: Fields) => {
    const taker = takers.find(({ kind }) => isKind(kind)(frame))
    if (taker === undefined) frames.push(frame)
    else taker.give(frame)
  }
  /** What the venue has not read yet; undefined while it reads. */
  let unread: Array<string> | undefined
  const write = (text: string) => {
    if (unread === undefined) receiver.text(text)
    else unread.push(text)
  }
  const receiver: Receiver = accept({
    send: (text) => arrive(JSON.parse(text) as Fields),
    close: (code, reason) => {
      closedWith = { code, reason }
    },
    pause: () => {
      unread ??= []
    },
    ping: () => {
      if (!isSilent) receiver.pong?.()
    },
    resume: () => {
      const texts = unread ?? []
      unread = undefined
      for (const text of texts) write(text)
    },
    ...link
  })
  const take = (kind: string) =>
    Effect.callback<Fields>((resume) => {
      const at = frames.findIndex(isKind(kind))
      if (at !== -1) return resume(Effect.succeed(frames.splice(at, 1)[0]!))
      const leave = () => {
        clearTimeout(timer)
        takers = takers.filter((other) => other !== taker)
      }
      const taker: Taker = {
        kind,
        give: (frame) => {
          leave()
          resume(Effect.succeed(frame))
        }
      }
      const timer = setTimeout(() => {
        leave()
        resume(Effect.die(new Error(`no ${kind} came, but ${JSON.stringify({ frames, closedWith })}`)))
      }, patienceMillis)
      takers.push(taker)
      return Effect.sync(leave)
    })
  return {
    ...writing(write),
    unread: () => unread?.length ?? 0,
    take: <Kind extends keyof Frames & string>(kind: Kind) =>
      take(kind) as Effect.Effect<unknown> as Effect.Effect<Frames[Kind]>,
    waiting: () => frames as ReadonlyArray<unknown> as ReadonlyArray<Frame>,
    drain: Effect.sync(() => {
      const all = frames
      frames = []
      return all as ReadonlyArray<unknown> as ReadonlyArray<Frame>
    }),
    lag: (bytes) => Effect.sync(() => lag(bytes)),
    silence: Effect.sync(() => {
      isSilent = true
    }),
    giveUp: Effect.sync(() => receiver.closed(true)),
    close: Effect.sync(() => receiver.closed(false)),
    closedWith: () => closedWith
  }
}

/** A link on which as many bytes wait unread as `lag` was given last. */
const lagging = () => {
  let waitingBytes = 0
  let inFlight = 0
  return {
    lag: (bytes: number) => {
      waitingBytes = bytes
    },
    waitingBytes: () => waitingBytes,
    isOverfull: () => waitingBytes > maxWaitingBytes + inFlight,
    countAnswers: (characters: number) => {
      inFlight = characters
    }
  }
}

const writing = (write: (text: string) => void): Pick<Client, "send" | "sendAll" | "sendText"> => ({
  send: (message) => Effect.sync(() => write(JSON.stringify(message))),
  sendAll: (messages) =>
    Effect.sync(() => {
      for (const message of messages) write(JSON.stringify(message))
    }),
  sendText: (text) => Effect.sync(() => write(text))
})
