/** One client on the trade socket, from its first frame to its last. */
import * as Incoming from "@venue/api/Incoming"
import * as Command from "@venue/api/trade/Command"
import * as Frame from "@venue/api/trade/Frame"
import type { Auth, Channel, Subscribe, Unsubscribe } from "@venue/api/trade/SessionCommand"
import * as Permission from "@venue/auth/access/Permission"
import type { Eligibility } from "@venue/auth/access/Eligibility"
import type { Batch } from "@venue/cluster/clients/LocalEntities"
import type { MarketEvent } from "@venue/domain/Market"
import type { AccountSummary } from "@venue/cluster/protocol/Desk"
import type { Instrument } from "@venue/domain/Instrument"
import { maxPulseBytes, maxWaitingBytes, type Receiver, type Transport } from "../socket/Transport.ts"
import * as AccountEvents from "./AccountEvents.ts"
import * as ReplyBarrier from "./ReplyBarrier.ts"
import * as Backpressure from "./Backpressure.ts"
import * as ReplyQueue from "./ReplyQueue.ts"
import type { Member, Origin, Unsigned } from "./Member.ts"
import * as CancelAllReply from "./CancelAllReply.ts"

/** What the frames that wait for the answer to `auth` may count for, as backpressure. */
const maxEarly = 256
/** Frames that cost nothing at once may cost this much in all before one comes that is charged with it: a minute's limit. */
const maxDeferred = 12_000
/** A connection may say so much beside `auth` before it is signed in. */
const maxUnsigned = 1_000
const authWithinMillis = 60_000

/** What a connection needs of its gateway. */
export interface Gateway {
  readonly nowMillis: () => number
  /** Over all its connections. */
  readonly backpressure: Backpressure.Backpressure
  /** Says who this is, once its trader is awake, or why not. */
  readonly signIn: (connectionId: string, auth: Auth, place: Origin, done: (answer: Member | Unsigned) => void) => void
  readonly perform: (connection: Connection, member: Member, command: TradingCommand, text: string) => void
  readonly follow: (
    accountId: string,
    observe: (event: MarketEvent, batch: Batch) => void,
    broken: () => void
  ) => () => void
  /** First values of the pulsed channels just subscribed with this frame. */
  readonly pulse: (connection: Connection, member: Member, text: string) => void
  /** Something became due to a connection: the ticks begin. */
  readonly due: () => void
  readonly arrived: (connection: Connection) => void
  readonly opened: (connection: Connection) => void
  readonly ended: (connection: Connection) => void
}

export type TradingCommand = Exclude<Command.Command, { readonly _tag: "Auth" | "Subscribe" | "Unsubscribe" }>

export interface Connection {
  readonly connectionId: string
  readonly member: () => Member | undefined
  readonly send: (text: string) => void
  readonly subscribed: (channel: Channel) => boolean
  /** A command on a symbol went out; its answer is due at that time, or its outcome is unknown. */
  readonly expect: (symbol: string, commandId: string, request: string, dueMillis: number) => void
  /** Something to be asked once all before it on that symbol is answered. */
  readonly ask: (symbol: string, commandId: string, request: string, start: () => void) => void
  /** What a desk answers by itself, sent at the command's place. */
  readonly answer: (symbol: string, commandId: string, text: string) => void
  /** Something to be asked once all before it is answered, whatever the symbol. */
  readonly askOfAll: (commandId: string, request: string, start: () => void) => void
  readonly answerOfAll: (commandId: string, request: string, text: string) => void
  /** Something was asked with this frame whose answer has no place in a queue; it is owed until it is settled. */
  readonly asked: (request: string) => void
  /** It was answered, or never will be. */
  readonly settled: (request: string) => void
  /** A cancel of all orders went out; without a symbol, of all symbols. */
  readonly cancel: (commandId: string, symbol: string, incoming: string | undefined, dueMillis: number) => void
  /** The desk says which markets a cancel touches. */
  readonly swept: (commandId: string, symbols: ReadonlyArray<string>) => void
  /** It is refused. */
  readonly refuseSweep: (commandId: string, text: string) => void
  /** Weight of small messages, charged with the next one that goes to the desk. */
  readonly takeDeferred: () => number
  readonly defer: (weight: number) => void
  readonly arm: (armed: boolean) => void
  /** It is about to be armed: from now on its desk must hear that it lives. */
  readonly lease: () => void
  readonly isLeased: () => boolean
  /** Once a second, while something is due to some connection. */
  readonly tick: () => void
  /** For an answer, or to hear who this is. */
  readonly isWaiting: () => boolean
  readonly tellSummary: (summary: AccountSummary) => void
  /** The user has come further, or not so far any more. */
  readonly stand: (eligibility: Eligibility) => void
  /** From here on frames are refused; what it is owed still comes. */
  readonly drain: () => void
  /** Whether something that came before has no answer yet. */
  readonly isOutstanding: () => boolean
  /** Tells of all commands whose answer has not come by that time that their outcome is not known. */
  readonly giveUp: (nowMillis: number) => void
  readonly close: (code: number, reason: string) => void
}

export const open = (
  connectionId: string,
  gateway: Gateway,
  instruments: ReadonlyMap<string, Instrument>,
  transport: Transport,
  place: Origin
): Receiver => {
  const openedAtMillis = gateway.nowMillis()
  const { backpressure } = gateway
  const channels = new Set<Channel>()
  let wantsOrders = false
  let wantsFills = false
  const queues = new Map<string, ReplyQueue.ReplyQueue>()
  const cancels = CancelAllReply.make()
  const barriers = ReplyBarrier.make()
  let member: Member | undefined
  let early: Array<string> | undefined
  let earlyWeight = 0
  let deferredWeight = 0
  let armed = false
  let leased = false
  let over = false
  let isDraining = false
  const outstanding: Backpressure.Outstanding = { weight: 0 }
  /** What was owed when its outstanding weight was last charged. */
  let charged = 0
  let paused = false
  let unfollow = () => {}

  const send = (text: string) => {
    if (over) return
    transport.send(text)
    if (transport.waitingBytes() > maxWaitingBytes) close(1013, "frames were not read; 1 MiB was waiting")
  }
  /** After every change of what is owed: too much of it leaves frames unread, and reading goes on at half of that. */
  const update = () => {
    if (over) return
    const now = outstanding.weight
    if (now !== charged) backpressure.change(now - charged)
    charged = now
    const most = backpressure.most()
    if (paused ? now > most / 2 : now < most) return
    paused = !paused
    if (paused) transport.pause()
    else transport.resume()
  }
  const close = (code: number, reason: string) => {
    if (over) return
    transport.close(code, reason)
    closed()
  }
  const closed = () => {
    if (over) return
    over = true
    backpressure.change(-charged)
    if (member !== undefined) backpressure.leave()
    unfollow()
    gateway.ended(connection)
  }
  const queue = (symbol: string): ReplyQueue.ReplyQueue => {
    let found = queues.get(symbol)
    if (found === undefined) {
      found = ReplyQueue.make(outstanding)
      queues.set(symbol, found)
      ReplyBarrier.extend(barriers, found)
    }
    return found
  }

  const observe = (event: MarketEvent, batch: Batch) => {
    const { accountId } = member!
    const { symbol } = batch.instrument
    const commandId = AccountEvents.commandOf(event)
    const order = wantsOrders ? AccountEvents.order(event, accountId, batch) : ""
    const last = AccountEvents.isLast(event)
    if (cancels.size > 0 && CancelAllReply.tell(cancels, commandId, symbol, order, last, send)) return update()
    const fill = wantsFills ? AccountEvents.fill(event, accountId, batch) : ""
    const queue = queues.get(symbol)
    if (queue === undefined || queue.entries.length === 0) {
      if (fill !== "") send(fill)
      if (order !== "") send(order)
      return
    }
    if (fill !== "") ReplyQueue.tell(queue, commandId, fill, false, send)
    ReplyQueue.tell(queue, commandId, order, last, send)
    update()
  }

  const signIn = (auth: Auth) => {
    if (member !== undefined) return send(signedInAlready)
    early = []
    earlyWeight = 0
    gateway.signIn(connectionId, auth, place, (answer) => {
      if (over) return
      const waited = early ?? []
      early = undefined
      if (answer === "denied") {
        send(Frame.err("PermissionDenied", "the credential or the account was not accepted"))
        return close(1008, "authentication failed")
      }
      if (answer === "tooMany") {
        send(Frame.err("RateLimited", "this user has as many connections as are allowed: close one first"))
        return close(1008, "too many connections")
      }
      if (answer === "unavailable") send(Frame.err("ServerError", "the account could not be loaded; try again"))
      else {
        member = answer
        unfollow = gateway.follow(member.accountId, observe, () => close(1011, "an event could not be told"))
        backpressure.join()
        gateway.opened(connection)
        send(Frame.authenticated)
      }
      for (const text of waited) receive(text)
    })
  }

  const subscribe = (asked: Subscribe | Unsubscribe, text: string) => {
    deferredWeight += 0.1
    const on = asked._tag === "Subscribe"
    const barred = on
      ? asked.channels.filter((channel) => !Permission.permits(member!.caller, `channel ${channel}`))
      : []
    let pulsed = false
    for (const channel of asked.channels) {
      if (barred.includes(channel)) continue
      pulsed ||= on && (channel === "positions" || channel === "balances")
      if (on) channels.add(channel)
      else channels.delete(channel)
      wantsOrders = channels.has("order_responses")
      wantsFills = channels.has("fills")
      send(on ? Frame.subscribed(channel) : Frame.unsubscribed(channel))
    }
    if (barred.length > 0) {
      send(Frame.err("PermissionDenied", `this key may not hear ${barred.join(", ")}`, Incoming.ofObject(text)))
    }
    for (const { code, message } of asked.declined) send(Frame.err(code, message, Incoming.ofObject(text)))
    if (pulsed) gateway.pulse(connection, member!, text)
    update()
  }

  const receive = (text: string) => {
    if (over) return
    if (early !== undefined) {
      earlyWeight += Backpressure.weightOf(text)
      if (earlyWeight <= maxEarly) early.push(text)
      else close(1008, "too many frames before the answer to auth")
      return
    }
    if (isDraining) return send(Frame.err("ServerError", `${goingDown}; not done`, Incoming.ofObject(text)))
    if (deferredWeight >= (member === undefined ? maxUnsigned : maxDeferred))
      return close(1008, "too many frames that ask for nothing")
    const command = Command.decode(text)
    if (command._tag === "Malformed") {
      deferredWeight += 1
      if (member !== undefined && command.meant === "auth") return send(signedInAlready)
      return send(member === undefined && command.meant === "other" ? signInFirst(text) : Frame.malformed(command))
    }
    if (command._tag === "Auth") return signIn(command)
    if (member === undefined) {
      deferredWeight += 1
      return send(signInFirst(text))
    }
    if (command._tag === "Subscribe" || command._tag === "Unsubscribe") return subscribe(command, text)
    gateway.perform(connection, member, command, text)
    if (outstanding.weight > 0) gateway.due()
    update()
  }

  const unknown = (incoming: string | undefined) =>
    send(
      Frame.err(
        "ServerError",
        "the outcome is not known yet; it is told when it is, and get_user_orders and get_user_trades show it",
        incoming
      )
    )

  const giveUp = (nowMillis: number) => {
    for (const charged of queues.values())
      ReplyQueue.giveUp(charged, nowMillis, (request) => unknown(Incoming.ofObject(request)), send)
    CancelAllReply.giveUp(cancels, nowMillis, unknown, send)
    update()
  }

  const connection: Connection = {
    connectionId,
    member: () => member,
    send,
    subscribed: (channel) => channels.has(channel),
    expect: (symbol, commandId, request, dueMillis) => ReplyQueue.expect(queue(symbol), commandId, request, dueMillis),
    ask: (symbol, commandId, request, start) => ReplyQueue.ask(queue(symbol), commandId, request, start),
    answer: (symbol, commandId, text) => {
      ReplyQueue.answer(queue(symbol), commandId, text, send)
      update()
    },
    asked: (request) => {
      outstanding.weight += Backpressure.weightOf(request)
    },
    settled: (request) => {
      outstanding.weight -= Backpressure.weightOf(request)
      update()
    },
    askOfAll: (commandId, request, start) => {
      outstanding.weight += Backpressure.weightOf(request)
      ReplyBarrier.enter(barriers, commandId, queues.values(), true, start)
    },
    answerOfAll: (commandId, request, text) => {
      outstanding.weight -= Backpressure.weightOf(request)
      send(text)
      ReplyBarrier.leave(barriers, commandId, send)
      update()
    },
    cancel: (commandId, symbol, incoming, dueMillis) => {
      const isOfAll = symbol === ""
      const mine = isOfAll ? queues.values() : instruments.has(symbol) ? [queue(symbol)] : []
      const weight = Backpressure.weightOf(incoming ?? "")
      outstanding.weight += weight
      const done = () => {
        outstanding.weight -= weight
        ReplyBarrier.leave(barriers, commandId, send)
      }
      CancelAllReply.begin(cancels, commandId, { incoming, dueMillis, done })
      ReplyBarrier.enter(barriers, commandId, mine, isOfAll, () => CancelAllReply.turn(cancels, commandId, send))
    },
    swept: (commandId, symbols) => {
      CancelAllReply.touched(cancels, commandId, symbols, send)
      update()
    },
    refuseSweep: (commandId, text) => {
      CancelAllReply.refuse(cancels, commandId, text, send)
      update()
    },
    takeDeferred: () => {
      const weight = deferredWeight
      deferredWeight = 0
      return weight
    },
    defer: (weight) => {
      deferredWeight += weight
    },
    arm: (now) => {
      if (now === armed) return
      armed = now
      if (channels.has("cancel_on_disconnect")) send(Frame.cancelOnDisconnect(now))
    },
    lease: () => {
      leased = true
      gateway.due()
    },
    isLeased: () => leased,
    isWaiting: () => member === undefined || outstanding.weight > 0,
    tick: () => {
      const now = gateway.nowMillis()
      if (member === undefined && now - openedAtMillis > authWithinMillis)
        close(1008, "no auth message within a minute")
      giveUp(now)
    },
    tellSummary: ({ balance, holdings }) => {
      if (transport.waitingBytes() > maxPulseBytes) return
      if (channels.has("positions")) {
        for (const holding of holdings) {
          send(Frame.positionResponse(instruments.get(holding.symbol)!, holding))
        }
      }
      if (channels.has("balances")) send(Frame.balanceResponse(balance))
    },
    stand: (eligibility) => {
      if (member !== undefined) member = { ...member, eligibility }
    },
    drain: () => {
      isDraining = true
    },
    isOutstanding: () => outstanding.weight > 0 || early !== undefined,
    giveUp,
    close
  }
  gateway.arrived(connection)
  return { text: receive, closed }
}

/** Why a venue that stops closes its connections. */
export const goingDown = "the venue is going down"

const signedInAlready = Frame.err("AlreadyAuthenticated", "this connection is signed in already")
const signInFirst = (text: string): string =>
  Frame.err("PermissionDenied", "send an auth message first", Incoming.ofObject(text))
