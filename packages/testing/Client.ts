/** In-process WebSocket client that sends messages and receives frames. */
import type * as MarketData from "@venue/api/marketData/FrameSchema"
import type * as Trade from "@venue/api/trade/FrameSchema"
import { maxWaitingBytes, type Receiver } from "@venue/gateway/socket/Transport"
import { Effect, type Scope } from "effect"
import { type Accept, observed } from "./Observers.ts"

/** Close code and reason that the venue sent. */
export interface Close {
  readonly code: number
  readonly reason: string
}

/** A connection. `Frames` maps frame kinds to types, and `Frame` is the union of these types. */
export interface Client<Frames = Trade.Frames, Frame = Trade.Frame> {
  /** Sends a message as JSON. */
  readonly send: (message: object) => Effect.Effect<void>
  /** Sends all messages in one event-loop turn, so that the venue receives them before it replies to the first. */
  readonly sendAll: (messages: ReadonlyArray<object>) => Effect.Effect<void>
  /** Sends text unchanged. */
  readonly sendText: (text: string) => Effect.Effect<void>
  /**
   * Returns the oldest frame of this kind (with this key at its top level, or with this `type`), and leaves other
   * frames queued. Waits up to 20 s of real time, then fails with a defect that lists the queued frames.
   */
  readonly take: <Kind extends keyof Frames & string>(kind: Kind) => Effect.Effect<Frames[Kind]>
  /** Returns the queued frames, oldest first. */
  readonly waiting: () => ReadonlyArray<Frame>
  /** Removes and returns all queued frames. Call the venue's `settle` first to be sure that no more frames follow. */
  readonly drain: Effect.Effect<ReadonlyArray<Frame>>
  /** Simulates this number of unread bytes in the socket buffer from now on; 0 ends the simulation. */
  readonly lag: (bytes: number) => Effect.Effect<void>
  /**
   * Number of frames that the client has sent but the venue has not read, because too many replies to the client are
   * outstanding.
   */
  readonly unread: () => number
  /** Stops replying to pings, like a client whose network is down. */
  readonly silence: Effect.Effect<void>
  /** Reports to the venue that the peer is gone. */
  readonly reportGone: Effect.Effect<void>
  /** Closes the connection from the client's side. */
  readonly close: Effect.Effect<void>
  /** Returns the venue's close code and reason, or undefined while the connection is open. */
  readonly closedWith: () => Close | undefined
}

/** A connection to the market-data socket. */
export type MarketDataClient = Client<MarketData.Frames, MarketData.Frame>

/** Opens a trade connection and closes it with the scope. */
export const open = (accept: Accept): Effect.Effect<Client, never, Scope.Scope> => opened(observed("trade", accept))

/** Opens a market-data connection and closes it with the scope. */
export const openMarketData = (accept: Accept): Effect.Effect<MarketDataClient, never, Scope.Scope> =>
  opened(observed("market_data", accept))

const opened = <Frames, Frame>(accept: Accept): Effect.Effect<Client<Frames, Frame>, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => connect<Frames, Frame>(accept)),
    (client) => client.close
  )

/**
 * Maximum real time to wait for a frame, in ms. It exceeds the time to move an entity between nodes, and is shorter
 * than the test timeout.
 */
const takeTimeoutMillis = 20_000

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
  /** Texts sent since the venue stopped reading; undefined while the venue is reading. */
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
      }, takeTimeoutMillis)
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
    reportGone: Effect.sync(() => receiver.closed(true)),
    close: Effect.sync(() => receiver.closed(false)),
    closedWith: () => closedWith
  }
}

/** Simulates a link with the number of unread bytes last passed to `lag`. */
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
