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
import * as Crossing from "./Crossing.ts"
import * as Dues from "./Dues.ts"
import * as Lane from "./Lane.ts"
import type { Member, Place, Unsigned } from "./Member.ts"
import * as Sweep from "./Sweep.ts"

/** What the frames that wait for the answer to `auth` may count for, as dues. */
const maxEarly = 256
/** Frames that cost nothing at once may cost this much in all before one comes that is charged with it: a minute's limit. */
const maxOwed = 12_000
/** A connection may say so much beside `auth` before it is signed in. */
const maxUnsigned = 1_000
const authWithinMillis = 60_000

/** What a connection needs of its gateway. */
export interface Gateway {
  readonly nowMillis: () => number
  /** Over all its connections. */
  readonly dues: Dues.Dues
  /** Says who this is, once its trader is awake, or why not. */
  readonly signIn: (connectionId: string, auth: Auth, place: Place, done: (answer: Member | Unsigned) => void) => void
  readonly perform: (connection: Connection, member: Member, command: Performed, text: string) => void
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

export type Performed = Exclude<Command.Command, { readonly _tag: "Auth" | "Subscribe" | "Unsubscribe" }>

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
  /** Something was asked with this frame whose answer has no place in a lane; it is owed until it is settled. */
  readonly asked: (request: string) => void
  /** It was answered, or never will be. */
  readonly settled: (request: string) => void
  /** A cancel of all orders went out; without a symbol, of all symbols. */
  readonly sweep: (commandId: string, symbol: string, incoming: string | undefined, dueMillis: number) => void
  /** The desk says which markets a sweep touches. */
  readonly swept: (commandId: string, symbols: ReadonlyArray<string>) => void
  /** It is refused. */
  readonly refuseSweep: (commandId: string, text: string) => void
  /** Weight of small messages, charged with the next one that goes to the desk. */
  readonly takeOwed: () => number
  readonly owe: (weight: number) => void
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
  readonly isOwed: () => boolean
  /** Tells of all commands whose answer has not come by that time that their outcome is not known. */
  readonly giveUp: (nowMillis: number) => void
  readonly close: (code: number, reason: string) => void
}

export const open = (
  connectionId: string,
  gateway: Gateway,
  instruments: ReadonlyMap<string, Instrument>,
  transport: Transport,
  place: Place
): Receiver => {
  const openedAtMillis = gateway.nowMillis()
  const { dues } = gateway
  const channels = new Set<Channel>()
  let wantsOrders = false
  let wantsFills = false
  const lanes = new Map<string, Lane.Lane>()
  const sweeps = Sweep.make()
  const crossings = Crossing.make()
  let member: Member | undefined
  let early: Array<string> | undefined
  let earlyDues = 0
  let owed = 0
  let armed = false
  let leased = false
  let over = false
  let isDraining = false
  const tally: Dues.Tally = { owed: 0 }
  /** What was owed when its dues were last told. */
  let owing = 0
  let paused = false
  let unfollow = () => {}

  const send = (text: string) => {
    if (over) return
    transport.send(text)
    if (transport.waitingBytes() > maxWaitingBytes) close(1013, "frames were not read; 1 MiB was waiting")
  }
  /** After every change of what is owed: too much of it leaves frames unread, and reading goes on at half of that. */
  const reckon = () => {
    if (over) return
    const now = tally.owed
    if (now !== owing) dues.change(now - owing)
    owing = now
    const most = dues.most()
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
    dues.change(-owing)
    if (member !== undefined) dues.leave()
    unfollow()
    gateway.ended(connection)
  }
  const lane = (symbol: string): Lane.Lane => {
    let found = lanes.get(symbol)
    if (found === undefined) {
      found = Lane.make(tally)
      lanes.set(symbol, found)
      Crossing.extend(crossings, found)
    }
    return found
  }

  const observe = (event: MarketEvent, batch: Batch) => {
    const { accountId } = member!
    const { symbol } = batch.instrument
    const commandId = AccountEvents.commandOf(event)
    const order = wantsOrders ? AccountEvents.order(event, accountId, batch) : ""
    const last = AccountEvents.isLast(event)
    if (sweeps.size > 0 && Sweep.tell(sweeps, commandId, symbol, order, last, send)) return reckon()
    const fill = wantsFills ? AccountEvents.fill(event, accountId, batch) : ""
    const lane = lanes.get(symbol)
    if (lane === undefined || lane.entries.length === 0) {
      if (fill !== "") send(fill)
      if (order !== "") send(order)
      return
    }
    if (fill !== "") Lane.tell(lane, commandId, fill, false, send)
    Lane.tell(lane, commandId, order, last, send)
    reckon()
  }

  const signIn = (auth: Auth) => {
    if (member !== undefined) return send(signedInAlready)
    early = []
    earlyDues = 0
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
        dues.join()
        gateway.opened(connection)
        send(Frame.authenticated)
      }
      for (const text of waited) receive(text)
    })
  }

  const subscribe = (asked: Subscribe | Unsubscribe, text: string) => {
    owed += 0.1
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
    reckon()
  }

  const receive = (text: string) => {
    if (over) return
    if (early !== undefined) {
      earlyDues += Dues.of(text)
      if (earlyDues <= maxEarly) early.push(text)
      else close(1008, "too many frames before the answer to auth")
      return
    }
    if (isDraining) return send(Frame.err("ServerError", `${goingDown}; not done`, Incoming.ofObject(text)))
    if (owed >= (member === undefined ? maxUnsigned : maxOwed))
      return close(1008, "too many frames that ask for nothing")
    const command = Command.decode(text)
    if (command._tag === "Malformed") {
      owed += 1
      if (member !== undefined && command.meant === "auth") return send(signedInAlready)
      return send(member === undefined && command.meant === "other" ? signInFirst(text) : Frame.malformed(command))
    }
    if (command._tag === "Auth") return signIn(command)
    if (member === undefined) {
      owed += 1
      return send(signInFirst(text))
    }
    if (command._tag === "Subscribe" || command._tag === "Unsubscribe") return subscribe(command, text)
    gateway.perform(connection, member, command, text)
    if (tally.owed > 0) gateway.due()
    reckon()
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
    for (const owing of lanes.values())
      Lane.giveUp(owing, nowMillis, (request) => unknown(Incoming.ofObject(request)), send)
    Sweep.giveUp(sweeps, nowMillis, unknown, send)
    reckon()
  }

  const connection: Connection = {
    connectionId,
    member: () => member,
    send,
    subscribed: (channel) => channels.has(channel),
    expect: (symbol, commandId, request, dueMillis) => Lane.expect(lane(symbol), commandId, request, dueMillis),
    ask: (symbol, commandId, request, start) => Lane.ask(lane(symbol), commandId, request, start),
    answer: (symbol, commandId, text) => {
      Lane.answer(lane(symbol), commandId, text, send)
      reckon()
    },
    asked: (request) => {
      tally.owed += Dues.of(request)
    },
    settled: (request) => {
      tally.owed -= Dues.of(request)
      reckon()
    },
    askOfAll: (commandId, request, start) => {
      tally.owed += Dues.of(request)
      Crossing.enter(crossings, commandId, lanes.values(), true, start)
    },
    answerOfAll: (commandId, request, text) => {
      tally.owed -= Dues.of(request)
      send(text)
      Crossing.leave(crossings, commandId, send)
      reckon()
    },
    sweep: (commandId, symbol, incoming, dueMillis) => {
      const isOfAll = symbol === ""
      const mine = isOfAll ? lanes.values() : instruments.has(symbol) ? [lane(symbol)] : []
      const weight = Dues.of(incoming ?? "")
      tally.owed += weight
      const done = () => {
        tally.owed -= weight
        Crossing.leave(crossings, commandId, send)
      }
      Sweep.begin(sweeps, commandId, { incoming, dueMillis, done })
      Crossing.enter(crossings, commandId, mine, isOfAll, () => Sweep.turn(sweeps, commandId, send))
    },
    swept: (commandId, symbols) => {
      Sweep.touched(sweeps, commandId, symbols, send)
      reckon()
    },
    refuseSweep: (commandId, text) => {
      Sweep.refuse(sweeps, commandId, text, send)
      reckon()
    },
    takeOwed: () => {
      const weight = owed
      owed = 0
      return weight
    },
    owe: (weight) => {
      owed += weight
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
    isWaiting: () => member === undefined || tally.owed > 0,
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
    isOwed: () => tally.owed > 0 || early !== undefined,
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
