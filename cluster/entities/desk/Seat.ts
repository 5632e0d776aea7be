/** One trader at its desk: the machine, its journal, and a door to each market it has joined. */
import type { MarketEvent } from "@venue/domain/Market"
import type { OrderRequest } from "@venue/domain/Order"
import {
  type LedgerCommand,
  type LedgerCommandOf,
  type LedgerRefusal,
  type TraderEvent,
  traderStream
} from "@venue/domain/Trader"
import * as Ledger from "@venue/ledger/Ledger"
import type { Alongside, Appender, Claimed, JournalShape } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Effect, Result } from "effect"
import type { Feed } from "../../feed/Feed.ts"
import type { MarketClient } from "../../clients/MarketClient.ts"
import type { AccountView } from "../../protocol/Market.ts"
import type { Batch } from "../../clients/LocalEntities.ts"

/** Requests that may wait behind one door, and facts that may gather while a view is on its way. */
const maxBehindDoor = 10_000
/** A desk's caller gives up long before this, so no command comes again after it. */
const repeatMillis = 60_000

export interface Surroundings {
  readonly journal: JournalShape
  readonly feed: Feed["Service"]
  readonly markets: MarketClient["Service"]
  readonly run: (effect: Effect.Effect<void>) => void
  readonly nowMillis: () => number
  /** The journal took this seat away: memory is discarded. */
  readonly dropped: (seat: Seat) => void
  /** A row of the trader's journal is committed. */
  readonly recorded: (userId: string) => void
}

interface Door {
  state: "opening" | "open"
  readonly requests: Array<OrderRequest>
  /** Joined before this seat was taken: what the market holds of the user is not known until it is open. */
  readonly wasJoined: boolean
  readonly facts: Array<{ readonly event: MarketEvent; readonly seq: number }>
  /** Commands the market recorded that this seat did not send; a repeat of one is not entered again. */
  recorded: Set<string>
  /** From then on no repeat of those can come, and they are forgotten. */
  repeatsUntilMillis: number
  /** The row the view was taken at: what came before is in it. */
  viewSeq: number
  /** Newest row with a fact of this user. */
  seq: number
}

export interface Seat {
  readonly userId: string
  readonly trader: Ledger.Trader
  readonly symbols: () => ReadonlyArray<string>
  /** False when too much waits already. */
  readonly enter: (request: OrderRequest) => boolean
  readonly change: <Tag extends LedgerCommand["_tag"]>(
    command: LedgerCommandOf<Tag>,
    done: (result: Result.Result<void, LedgerRefusal<Tag> | "lost">) => void
  ) => void
  /** Calls back once every joined market has answered, or with false when the seat is gone. Returns how to stop waiting. */
  readonly whenOpen: (then: (isOpen: boolean) => void) => () => void
  /** Every joined market has answered, or the one that is named. */
  readonly isOpen: (symbol?: string) => boolean
  readonly watermarks: () => ReadonlyArray<{ readonly symbol: string; readonly seq: number }>
  readonly leave: () => void
}

export const make = (userId: string, trader: Ledger.Trader, from: Claimed, around: Surroundings): Seat => {
  const { feed, journal, markets } = around
  const doors = new Map<string, Door>()
  const follows = new Map<string, () => void>()
  const waiters = new Set<(isOpen: boolean) => void>()
  /** Doors that are not open though something may lie behind them. */
  let unknown = 0
  let isGone = false
  let open = emptyRow()
  const flying: Array<Row> = []

  const appender: Appender = journal.append(
    {
      stream: traderStream(userId),
      seal: () => {
        if (open.events.length === 0) return undefined
        const { alongside, events } = open
        flying.push(open)
        open = emptyRow()
        return { events: TraderRecord.encode(events), alongside }
      },
      committed: () => {
        const { dones } = flying.shift()!
        around.recorded(userId)
        for (const done of dones) done(true)
      },
      lost: () => lose()
    },
    from
  )

  const record = (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => {
    for (const event of events) {
      Ledger.apply(trader, event)
      open.events.push(event)
      const entry = wakeUpOf(userId, event)
      if (entry !== undefined) open.alongside.push(entry)
      if (event._tag === "AccountOpened") follow(event.accountId)
    }
    const row = open.events.length > 0 ? open : flying.at(-1)
    if (row === undefined) return done(true)
    row.dones.push(done)
    if (row === open) appender.wake()
  }

  const observe = (event: MarketEvent, batch: Batch) => {
    const door = doors.get(batch.instrument.symbol)
    if (door === undefined) return
    if (door.state === "opening") {
      if (door.facts.length < maxBehindDoor) door.facts.push({ event, seq: batch.seq })
      return
    }
    if (batch.seq > door.viewSeq) take(door, batch.instrument.symbol, event, batch.seq)
  }
  const take = (door: Door, symbol: string, event: MarketEvent, seq: number) => {
    door.seq = seq
    if (around.nowMillis() < door.repeatsUntilMillis) {
      const commandId = "commandId" in event ? event.commandId?.text : undefined
      if (commandId !== undefined && !trader.inFlight.has(commandId)) door.recorded.add(commandId)
    } else if (door.recorded.size > 0) door.recorded = new Set()
    Ledger.observe(trader, symbol, event)
  }
  const follow = (accountId: string) => {
    follows.get(accountId)?.()
    follows.set(accountId, feed.follow(accountId, { rank: "trader", observe, broken: lose }))
  }

  const openDoor = (symbol: string): Door => {
    const wasJoined = Ledger.joined(trader, symbol)
    const door: Door = {
      state: "opening",
      wasJoined,
      requests: [],
      facts: [],
      recorded: new Set(),
      repeatsUntilMillis: 0,
      viewSeq: 0,
      seq: 0
    }
    doors.set(symbol, door)
    if (wasJoined) {
      unknown++
      ask(symbol, door)
    } else {
      record([{ _tag: "Joined", symbol }], (committed) => {
        if (committed) ask(symbol, door)
      })
    }
    return door
  }
  /** Asks until the market answers with a view that is not behind what this node has already been told. */
  const ask = (symbol: string, door: Door): void => {
    if (doors.get(symbol) !== door) return
    const again = Effect.andThen(
      Effect.sleep("100 millis"),
      Effect.sync(() => ask(symbol, door))
    )
    // A feed begins at some row: what came between an older view and that row would be told by neither.
    const toldSeq = feed.head(symbol)?.seq
    if (toldSeq === undefined) return around.run(again)
    around.run(
      Effect.matchEffect(markets.view(symbol, userId, from.epoch, Ledger.accountIds(trader)), {
        onFailure: () => again,
        onSuccess: (view) =>
          view.seq < toldSeq || door.facts.length >= maxBehindDoor
            ? Effect.andThen(
                Effect.sync(() => door.facts.splice(0)),
                again
              )
            : Effect.sync(() => adopt(symbol, door, view))
      }).pipe(
        // The door stays closed: what the market says and what is known here contradict each other.
        Effect.tapDefect((defect) => Effect.logError(`user ${userId} cannot take what ${symbol} says`, defect))
      )
    )
  }
  const adopt = (symbol: string, door: Door, view: AccountView) => {
    if (doors.get(symbol) !== door) return
    for (const { accountId, orders, position } of view.accounts) {
      Ledger.adopt(trader, symbol, accountId, { position: { ...position }, orders })
    }
    door.viewSeq = door.seq = view.seq
    door.recorded = new Set(view.recorded)
    door.repeatsUntilMillis = around.nowMillis() + repeatMillis
    door.state = "open"
    if (door.wasJoined) unknown--
    for (const { event, seq } of door.facts.splice(0)) {
      if (seq > view.seq) take(door, symbol, event, seq)
    }
    for (const behind of unknown === 0 ? doors.values() : [door]) drain(behind)
    if (allOpen()) tellWaiters(true)
  }
  /** Margin is held against all the user has, so what adds risk waits until all of that is known. */
  const mayPass = (door: Door, request: OrderRequest) => door.state === "open" && (unknown === 0 || !addsRisk(request))
  const drain = (door: Door) => {
    let next = 0
    while (next < door.requests.length && mayPass(door, door.requests[next]!)) pass(door, door.requests[next++]!)
    door.requests.splice(0, next)
  }
  const pass = (door: Door, request: OrderRequest): boolean => {
    if (door.recorded.size > 0 && door.recorded.has(request.commandId.text)) return true
    if (markets.submit(request.symbol, Ledger.enter(trader, request, from.epoch))) return true
    Ledger.release(trader, request.symbol, request.commandId)
    return false
  }

  const allOpen = () => {
    for (const door of doors.values()) if (door.state !== "open") return false
    return true
  }

  const tellWaiters = (isOpen: boolean) => {
    for (const then of waiters) {
      waiters.delete(then)
      then(isOpen)
    }
  }

  const leave = () => {
    if (isGone) return
    isGone = true
    appender.close()
    for (const stop of follows.values()) stop()
    follows.clear()
    doors.clear()
    const dones = [...flying.splice(0), open].flatMap((row) => row.dones)
    open = emptyRow()
    for (const done of dones) done(false)
    tellWaiters(false)
  }

  const lose = () => {
    leave()
    around.dropped(seat)
  }

  for (const accountId of Ledger.accountIds(trader)) follow(accountId)
  for (const symbol of Ledger.symbols(trader)) openDoor(symbol)

  const seat: Seat = {
    userId,
    trader,
    symbols: () => [...doors.keys()],
    enter: (request) => {
      if (isGone) return false
      const door = doors.get(request.symbol) ?? openDoor(request.symbol)
      if (door.requests.length === 0 && mayPass(door, request)) return pass(door, request)
      if (door.requests.length >= maxBehindDoor) return false
      door.requests.push(request)
      return true
    },
    change: (command, done) => {
      if (isGone) return done(Result.fail("lost"))
      const decided = Ledger.decide(trader, command, around.nowMillis())
      if (Result.isFailure(decided)) return done(Result.fail(decided.failure))
      record(decided.success, (committed) => done(committed ? Result.succeed(undefined) : Result.fail("lost")))
    },
    whenOpen: (then) => {
      if (isGone || allOpen()) then(!isGone)
      else waiters.add(then)
      return () => waiters.delete(then)
    },
    isOpen: (symbol) => !isGone && (symbol === undefined ? allOpen() : doors.get(symbol)?.state === "open"),
    watermarks: () => [...doors].map(([symbol, { seq }]) => ({ symbol, seq })),
    leave
  }
  return seat
}

/** Whether margin must be held for it. */
export const addsRisk = (request: OrderRequest): boolean =>
  (request._tag === "PlaceOrder" && !request.reduceOnly) || request._tag === "ModifyOrder"

interface Row {
  readonly events: Array<TraderEvent>
  readonly alongside: Array<Alongside>
  readonly dones: Array<(committed: boolean) => void>
}

const emptyRow = (): Row => ({ events: [], alongside: [], dones: [] })

/** What must wake this trader after a restart, though nobody asks for it. */
function wakeUpOf(userId: string, event: TraderEvent): Alongside | undefined {
  switch (event._tag) {
    case "Joined":
      return { _tag: "WakeUp", userId, reason: "joined", detail: event.symbol }
    case "Armed":
      return { _tag: "WakeUp", userId, reason: "armed", detail: event.connectionId }
    case "Disarmed":
      return { _tag: "Rest", userId, reason: "armed", detail: event.connectionId }
    default:
      return undefined
  }
}
