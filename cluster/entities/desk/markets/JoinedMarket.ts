/**
 * The markets that one trader has joined. The trader's state in a market is synced before commands are sent to it:
 *
 *     join → syncing ── a view that is not behind the feed ──→ live
 *
 * While a market is syncing, its requests are queued and its events are buffered. Margin is held against the user's
 * whole equity, so requests that add risk wait in every market until all markets with the user's state are live
 * (invariant I27).
 */
import type { Id } from "@venue/domain/Id"
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderRequest } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import type { TraderEvent } from "@venue/domain/Trader"

/** An event in a market's log, with its row's sequence number. */
export interface LoggedEvent {
  readonly event: MarketEvent
  readonly seq: number
}

export interface JoinedMarket {
  readonly symbol: MarketSymbol
  state: "syncing" | "live"
  /** False from the time the trader leaves until the journal records that the trader has joined again. */
  isIn: boolean
  /** Time of the last command to the market; before the first one, the time at which the trader was loaded. */
  usedMillis: number
  /** Whether an earlier owner of the trader joined this market, which might therefore hold state for the user. */
  readonly wasJoined: boolean
  readonly requests: Array<OrderRequest>
  readonly events: Array<LoggedEvent>
  /** Ids of commands that the market recorded for a former owner. Repeats of them are not sent again. */
  recorded: Set<string>
  /** Time after which no repeated submission can arrive and `recorded` is cleared. */
  repeatsUntilMillis: number
  /** Row up to which the adopted view contains all events. */
  viewSeq: number
  /** Sequence number of the newest row with an event that concerns this user or every position. */
  seq: number
}

/** One trader's joined markets, changed in place. */
export interface JoinedMarkets {
  readonly bySymbol: Map<MarketSymbol, JoinedMarket>
  /** Number of syncing markets that might hold state for the user. */
  unknown: number
}

/** Returns the sequence number of the row up to which all of the user's events are applied. */
export const appliedSeq = ({ seq, viewSeq }: JoinedMarket): number => Math.max(seq, viewSeq)

export const empty = (): JoinedMarkets => ({ bySymbol: new Map(), unknown: 0 })

/** Adds a market in the syncing state. */
export const join = (markets: JoinedMarkets, symbol: MarketSymbol, wasJoined: boolean): JoinedMarket => {
  const market: JoinedMarket = {
    symbol,
    state: "syncing",
    isIn: true,
    usedMillis: 0,
    wasJoined,
    requests: [],
    events: [],
    recorded: new Set(),
    repeatsUntilMillis: 0,
    viewSeq: 0,
    seq: 0
  }
  markets.bySymbol.set(symbol, market)
  if (wasJoined) markets.unknown++
  return market
}

/**
 * Decides what to do with a request. `submit`: send it now. `waits`: it was queued, and a later call of `released`
 * returns it. `recorded`: it repeats a recorded command and must not be sent. `full`: the queue is full.
 */
export const request = (
  markets: JoinedMarkets,
  market: JoinedMarket,
  order: OrderRequest
): "submit" | "waits" | "recorded" | "full" => {
  if (market.requests.length === 0 && maySend(markets, market, order)) {
    return isRecorded(market, order) ? "recorded" : "submit"
  }
  if (market.requests.length >= maxWaiting) return "full"
  market.requests.push(order)
  return "waits"
}

/** Returns whether the ledger must apply the event now. `isSent` returns whether this owner sent a command. */
export const event = (
  market: JoinedMarket,
  logged: MarketEvent,
  seq: number,
  nowMillis: number,
  isSent: (commandId: string) => boolean
): boolean => {
  if (market.state === "syncing") {
    if (market.events.length < maxEvents) market.events.push({ event: logged, seq })
    return false
  }
  if (seq <= market.viewSeq) return false
  market.seq = seq
  if (nowMillis < market.repeatsUntilMillis) {
    const commandId = "commandId" in logged ? logged.commandId?.text : undefined
    if (commandId !== undefined && !isSent(commandId)) market.recorded.add(commandId)
  } else if (market.recorded.size > 0) market.recorded = new Set()
  return true
}

/**
 * Returns whether a view can be adopted, and otherwise clears the buffer. `feedSeq` is the feed's row at the time of
 * the request. An older view misses rows that the feed has already published, and a full buffer has dropped events.
 */
export const fits = (market: JoinedMarket, viewSeq: number, feedSeq: number): boolean => {
  if (viewSeq >= feedSeq && market.events.length < maxEvents) return true
  market.events.length = 0
  return false
}

/** Marks a market as live once its view is adopted. Returns the buffered events to pass to `event` one by one. */
export const goLive = (
  markets: JoinedMarkets,
  market: JoinedMarket,
  view: { readonly seq: number; readonly recorded: ReadonlyArray<string> },
  nowMillis: number
): ReadonlyArray<LoggedEvent> => {
  market.state = "live"
  market.viewSeq = market.seq = view.seq
  market.recorded = new Set(view.recorded)
  market.repeatsUntilMillis = nowMillis + repeatMillis
  if (market.wasJoined) markets.unknown--
  return market.events.splice(0)
}

/** Removes and returns the queued requests that can be sent now, in order within each market. */
export const released = (markets: JoinedMarkets): ReadonlyArray<OrderRequest> => {
  const sendable: Array<OrderRequest> = []
  for (const market of markets.bySymbol.values()) {
    const { requests } = market
    let count = 0
    while (count < requests.length && maySend(markets, market, requests[count]!)) count++
    for (const order of requests.splice(0, count)) if (!isRecorded(market, order)) sendable.push(order)
  }
  return sendable
}

/** Whether a command is still queued. */
export const waits = ({ bySymbol }: JoinedMarkets, symbol: MarketSymbol, commandId: Id): boolean =>
  bySymbol.get(symbol)?.requests.some((order) => order.commandId.text === commandId.text) === true

/** Marks the markets that the trader has left. Nothing is sent to them until the trader joins again. */
export const leave = ({ bySymbol }: JoinedMarkets, events: ReadonlyArray<TraderEvent>): void => {
  for (const event of events) if (event._tag === "Left") bySymbol.get(event.symbol)!.isIn = false
}

/** Returns the live markets without queued requests and without a command since `sinceMillis`. */
export const unused = ({ bySymbol }: JoinedMarkets, sinceMillis: number): ReadonlyArray<MarketSymbol> =>
  [...bySymbol.values()]
    .filter((market) => market.isIn && market.state === "live" && market.usedMillis <= sinceMillis)
    .filter(({ requests }) => requests.length === 0)
    .map(({ symbol }) => symbol)

/**
 * Returns the markets that recorded the command for a former owner, or undefined while a market that might have
 * recorded it is syncing.
 */
export const recordedIn = (
  { bySymbol, unknown }: JoinedMarkets,
  commandId: string
): ReadonlyArray<MarketSymbol> | undefined =>
  unknown > 0
    ? undefined
    : [...bySymbol.values()].filter(({ recorded }) => recorded.has(commandId)).map(({ symbol }) => symbol)

/** Whether the given market, or by default every market, is live. */
export const isLive = ({ bySymbol }: JoinedMarkets, symbol?: MarketSymbol): boolean => {
  if (symbol !== undefined) return bySymbol.get(symbol)?.state === "live"
  for (const { state } of bySymbol.values()) if (state !== "live") return false
  return true
}

/** Whether margin must be held for the request. */
export const addsRisk = (order: OrderRequest): boolean =>
  (order._tag === "PlaceOrder" && !order.reduceOnly && !isStop(order.type)) || order._tag === "ModifyOrder"

const maySend = (markets: JoinedMarkets, market: JoinedMarket, order: OrderRequest): boolean =>
  market.state === "live" && market.isIn && (markets.unknown === 0 || !addsRisk(order))

const isRecorded = ({ recorded }: JoinedMarket, { commandId }: OrderRequest): boolean =>
  recorded.size > 0 && recorded.has(commandId.text)

/** Queue limit for one market. */
const maxWaiting = 10_000
/** Maximum number of events that are buffered while a market is syncing. */
const maxEvents = 10_000
/** Callers of a desk stop retrying long before this time, so no command is repeated after it. */
const repeatMillis = 60_000
