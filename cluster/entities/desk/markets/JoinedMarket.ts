/**
 * The markets one trader has joined. Each is brought in step with its log before anything of the trader goes there:
 *
 *     join → syncing ── a view that is not behind the feed ──→ live
 *
 * While one syncs, requests for it wait and events of it are kept. Margin is held against all the user has, so what adds
 * risk waits everywhere until every market is known that may hold something of the user (invariant I27).
 */
import type { Id } from "@venue/domain/Id"
import type { MarketEvent } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderRequest } from "@venue/domain/Order"
import { isStop } from "@venue/domain/Stop"
import type { TraderEvent } from "@venue/domain/Trader"

/** An event of a market's log, and the row it stands in. */
export interface Told {
  readonly event: MarketEvent
  readonly seq: number
}

export interface JoinedMarket {
  readonly symbol: MarketSymbol
  state: "syncing" | "live"
  /** False once the trader has left, until the journal has it that it joined again. */
  isIn: boolean
  /** Something of the trader was asked of the market last at this time, or it was loaded. */
  usedMillis: number
  /** Joined by an earlier owner of the trader: what the market holds of the user is not known until it is live. */
  readonly wasJoined: boolean
  readonly requests: Array<OrderRequest>
  readonly events: Array<Told>
  /** Commands the market recorded that were not sent from here; a repeat of one is not sent again. */
  recorded: Set<string>
  /** From then on no repeat of those can come, and they are forgotten. */
  repeatsUntilMillis: number
  /** The row the view was taken at: what came before is in it. */
  viewSeq: number
  /** Newest row with an event of this user, or with one that concerns every position. */
  seq: number
}

/** Changed in place by its one owner. */
export interface JoinedMarkets {
  readonly bySymbol: Map<MarketSymbol, JoinedMarket>
  /** Markets that sync and may hold something of the user. */
  unknown: number
}

/** What is known of it is all that stood there up to this row, or later ones that did not concern the user. */
export const knownTo = ({ seq, viewSeq }: JoinedMarket): number => Math.max(seq, viewSeq)

export const empty = (): JoinedMarkets => ({ bySymbol: new Map(), unknown: 0 })

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
 * `submit`: it goes to its market now. `waits`: it is kept, and `released` will name it. `recorded`: it is a repeat of a
 * command that was done. `full`: too many wait, and it is not kept.
 */
export const request = (
  markets: JoinedMarkets,
  market: JoinedMarket,
  asked: OrderRequest
): "submit" | "waits" | "recorded" | "full" => {
  if (market.requests.length === 0 && mayGo(markets, market, asked)) {
    return isRecorded(market, asked) ? "recorded" : "submit"
  }
  if (market.requests.length >= maxWaiting) return "full"
  market.requests.push(asked)
  return "waits"
}

/** Whether the ledger is to take the event now. `isSent` says whether a command was sent from here. */
export const event = (
  market: JoinedMarket,
  told: MarketEvent,
  seq: number,
  nowMillis: number,
  isSent: (commandId: string) => boolean
): boolean => {
  if (market.state === "syncing") {
    if (market.events.length < maxEvents) market.events.push({ event: told, seq })
    return false
  }
  if (seq <= market.viewSeq) return false
  market.seq = seq
  if (nowMillis < market.repeatsUntilMillis) {
    const commandId = "commandId" in told ? told.commandId?.text : undefined
    if (commandId !== undefined && !isSent(commandId)) market.recorded.add(commandId)
  } else if (market.recorded.size > 0) market.recorded = new Set()
  return true
}

/**
 * Whether a view taken at this row can be taken over, when the feed has told up to `toldSeq`. An older one misses rows
 * that were told before anybody listened, and so does one after which more came than is kept: another is asked for.
 */
export const fits = (market: JoinedMarket, viewSeq: number, toldSeq: number): boolean => {
  if (viewSeq >= toldSeq && market.events.length < maxEvents) return true
  market.events.length = 0
  return false
}

/** The ledger has taken over the view. Answers the events that came meanwhile; each is to be told to `event` now. */
export const goLive = (
  markets: JoinedMarkets,
  market: JoinedMarket,
  view: { readonly seq: number; readonly recorded: ReadonlyArray<string> },
  nowMillis: number
): ReadonlyArray<Told> => {
  market.state = "live"
  market.viewSeq = market.seq = view.seq
  market.recorded = new Set(view.recorded)
  market.repeatsUntilMillis = nowMillis + repeatMillis
  if (market.wasJoined) markets.unknown--
  return market.events.splice(0)
}

/** The requests that waited and go to their markets now, those of one market in their order. */
export const released = (markets: JoinedMarkets): ReadonlyArray<OrderRequest> => {
  const going: Array<OrderRequest> = []
  for (const market of markets.bySymbol.values()) {
    const { requests } = market
    let count = 0
    while (count < requests.length && mayGo(markets, market, requests[count]!)) count++
    for (const asked of requests.splice(0, count)) if (!isRecorded(market, asked)) going.push(asked)
  }
  return going
}

/** Whether it has not left for that market yet, since what came before it may not. */
export const waits = ({ bySymbol }: JoinedMarkets, symbol: MarketSymbol, commandId: Id): boolean =>
  bySymbol.get(symbol)?.requests.some((asked) => asked.commandId.text === commandId.text) === true

/** Where the trader has left nothing is sent until it has joined again. */
export const leave = ({ bySymbol }: JoinedMarkets, events: ReadonlyArray<TraderEvent>): void => {
  for (const event of events) if (event._tag === "Left") bySymbol.get(event.symbol)!.isIn = false
}

/** Live markets of which nothing was asked since then, nor is waiting. */
export const unused = ({ bySymbol }: JoinedMarkets, sinceMillis: number): ReadonlyArray<MarketSymbol> =>
  [...bySymbol.values()]
    .filter((market) => market.isIn && market.state === "live" && market.usedMillis <= sinceMillis)
    .filter(({ requests }) => requests.length === 0)
    .map(({ symbol }) => symbol)

/** The markets that recorded it for a former owner; undefined as long as one that may have has not told. */
export const recordedIn = (
  { bySymbol, unknown }: JoinedMarkets,
  commandId: string
): ReadonlyArray<MarketSymbol> | undefined =>
  unknown > 0
    ? undefined
    : [...bySymbol.values()].filter(({ recorded }) => recorded.has(commandId)).map(({ symbol }) => symbol)

/** Whether every market is live, or the one that is named. */
export const isLive = ({ bySymbol }: JoinedMarkets, symbol?: MarketSymbol): boolean => {
  if (symbol !== undefined) return bySymbol.get(symbol)?.state === "live"
  for (const { state } of bySymbol.values()) if (state !== "live") return false
  return true
}

/** Whether margin must be held for it. */
export const addsRisk = (asked: OrderRequest): boolean =>
  (asked._tag === "PlaceOrder" && !asked.reduceOnly && !isStop(asked.type)) || asked._tag === "ModifyOrder"

const mayGo = (markets: JoinedMarkets, market: JoinedMarket, asked: OrderRequest): boolean =>
  market.state === "live" && market.isIn && (markets.unknown === 0 || !addsRisk(asked))

const isRecorded = ({ recorded }: JoinedMarket, { commandId }: OrderRequest): boolean =>
  recorded.size > 0 && recorded.has(commandId.text)

/** Requests that may wait for one market. */
const maxWaiting = 10_000
/** Events that are kept while a view is on its way. */
const maxEvents = 10_000
/** A desk's caller gives up long before this, so no command comes again after it. */
const repeatMillis = 60_000
