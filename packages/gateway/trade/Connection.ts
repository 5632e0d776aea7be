/** One client on the trade socket, from its first frame to its last. */
import * as Incoming from "@venue/api/Incoming"
import type { Fields } from "@venue/api/Incoming"
import * as Command from "@venue/api/trade/Command"
import * as Frame from "@venue/api/trade/Frame"
import * as MarketData from "@venue/api/marketData/Subscription"
import type { Auth, Subscribe, Unsubscribe } from "@venue/api/trade/SessionCommand"
import type { Eligibility } from "@venue/auth/access/Eligibility"
import type { Batch } from "@venue/cluster/feed/Batch"
import type { Follower } from "@venue/cluster/feed/Followers"
import type { AccountSummary, Cost } from "@venue/cluster/protocol/Desk"
import type { AccountId } from "@venue/domain/AccountId"
import type { Instrument } from "@venue/domain/Instrument"
import type { MarketEvent, Traded } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { Order } from "@venue/domain/Order"
import { maxPulseBytes, type Receiver, type Transport } from "../socket/Transport.ts"
import type { MarketStreams } from "../marketData/MarketStreams.ts"
import type { Listener } from "../marketData/Streams.ts"
import * as AccountEvents from "./AccountEvents.ts"
import * as Backpressure from "./Backpressure.ts"
import * as DeskCharge from "./DeskCharge.ts"
import type { Answered, ExpectedAcknowledgement, ExpectedOrder, ExpectedQuery, ExpectedReply } from "./ExpectedReply.ts"
import * as LargeAnswers from "./LargeAnswers.ts"
import type { Member, Origin, Unsigned } from "./Member.ts"
import { Replies } from "./Replies.ts"
import type { TradingCommand } from "./Request.ts"
import * as SignInRefusal from "./SignInRefusal.ts"
import * as Subscriptions from "./Subscriptions.ts"
import * as SummaryFrames from "./SummaryFrames.ts"

/** The frames that wait for the answer to `auth` may have this weight. */
const maxEarly = 256
/** A connection may say so much beside `auth` before it is signed in. */
const maxUnsigned = 1_000
const authWithinMillis = 60_000
/** Who has said nothing for so long is closed between two commands, when its gateway stops. */
const quietAfterMillis = 1_000
/** Who says nothing for so long is asked whether it lives, while it is armed. */
const probedAfterMillis = 1_000

/** A connection needs this of its gateway. */
export interface Gateway {
  readonly nowMillis: () => number
  readonly backpressure: Backpressure.Total
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  /** Says who this is, once its trader is awake, or why not. */
  readonly signIn: (connectionId: string, auth: Auth, origin: Origin, done: (answer: Member | Unsigned) => void) => void
  /** Takes weight from what the desk of this user lets through. */
  readonly charge: (member: Member, weight: number, done: (waitMillis: number | undefined) => void) => void
  /** Nothing leaves yet: the reply has to be expected before it can come. */
  readonly handle: (
    connection: Connection,
    member: Member,
    command: TradingCommand,
    cost: Cost,
    text: string
  ) => Answered | ExpectedReply
  /** An order whose reply is expected leaves for its desk. */
  readonly submit: (connection: Connection, member: Member, expected: ExpectedOrder | ExpectedAcknowledgement) => void
  readonly follow: (accountId: AccountId, follower: Omit<Follower, "rank">) => () => void
  /** Asks for the first values of the pulsed channels just subscribed with this frame. */
  readonly pulse: (connection: Connection, member: Member, text: string) => ExpectedQuery
  /** A fill of the account of this connection, which hears positions or balances. */
  readonly filled: (connection: Connection, symbol: MarketSymbol) => void
  readonly after: (millis: number, then: () => void) => void
  readonly marketStreams: MarketStreams["Service"]
  /** Something became due to a connection: the ticks begin. */
  readonly due: () => void
  /** A connection is about to be armed: its desk is told that it lives. */
  readonly leased: () => void
  readonly arrived: (connection: Connection) => void
  readonly opened: (connection: Connection, member: Member) => void
  readonly ended: (connection: Connection) => void
}

export class Connection {
  readonly connectionId: string
  readonly replies: Replies
  readonly subscriptions = Subscriptions.make()
  /** Who trades here, once that is known. */
  member: Member | undefined
  /** It is about to be armed, or was: its desk must hear that it lives. */
  isLeased = false
  /** Its desk has said that it is armed, and was not asked to disarm it since. */
  isArmed = false
  /** Something came from the client then: a frame, a pong or its end. */
  heardAtMillis: number
  private readonly gateway: Gateway
  private readonly transport: Transport
  private readonly origin: Origin
  private readonly backpressure: Backpressure.Backpressure
  private readonly openedAtMillis: number
  /** These frames wait for the answer to `auth`. */
  private early: Array<string> | undefined
  private earlyWeight = 0
  /** Frames that came from nobody who is known. */
  private unsigned = 0
  private readonly charge: DeskCharge.DeskCharge
  private readonly largeAnswers: LargeAnswers.LargeAnswers
  /** It hears market data too, in a numbering of its own. */
  private listener: Listener | undefined
  private isToldArmed = false
  private isFinishing = false
  private isDraining = false
  private isOver = false
  private unfollow = () => {}

  constructor(connectionId: string, gateway: Gateway, transport: Transport, origin: Origin) {
    this.connectionId = connectionId
    this.gateway = gateway
    this.transport = transport
    this.origin = origin
    this.openedAtMillis = this.heardAtMillis = gateway.nowMillis()
    this.charge = DeskCharge.make(
      // Before there is a member nothing is charged.
      (weight, done) => gateway.charge(this.member!, weight, done),
      gateway.nowMillis
    )
    this.backpressure = Backpressure.make(gateway.backpressure, transport, () => this.answered())
    this.largeAnswers = LargeAnswers.make({
      waitingBytes: transport.waitingBytes,
      countAnswers: (inFlight, waiting) => {
        transport.countAnswers(inFlight, waiting)
        this.backpressure.hold(waiting)
      },
      after: gateway.after,
      close: (code, reason) => this.close(code, reason)
    })
    this.replies = new Replies({
      backpressure: this.backpressure,
      isListed: (symbol) => gateway.instruments.has(symbol),
      send: (frame) => this.send(frame)
    })
  }

  receive(text: string): void {
    if (this.isOver) return
    this.heard()
    if (this.early !== undefined) return this.keep(this.early, text)
    if (this.isDraining) return this.send(Frame.err("ServerError", `${goingDown}; not done`, Incoming.ofObject(text)))
    const { member } = this
    if (member === undefined && this.unsigned >= maxUnsigned)
      return this.close(1008, "too many frames before an auth message")
    const command = Command.decode(text)
    if (command._tag === "Auth") return this.signIn(command)
    if (member === undefined) return this.refuseStranger(command, text)
    if (command._tag === "Malformed") return this.refuse(command, text)
    if (command._tag === "Subscribe" || command._tag === "Unsubscribe") return this.subscribe(member, command, text)
    this.trade(member, command, text)
  }

  send(text: string): void {
    if (this.isOver) return
    this.transport.send(text)
    if (this.transport.isOverfull()) this.close(1013, "frames were not read; 1 MiB was waiting")
  }

  close(code: number, reason: string): void {
    if (this.isOver) return
    this.transport.close(code, reason)
    this.closed()
  }

  /** The client lives. */
  heard(): void {
    this.heardAtMillis = this.gateway.nowMillis()
  }

  /** The client has gone, and has said so itself unless it was given up. */
  closed(isGivenUp = true): void {
    if (this.isOver) return
    if (!isGivenUp) this.heard()
    this.isOver = true
    this.charge.end()
    this.largeAnswers.end()
    this.backpressure.end()
    this.unfollow()
    if (this.listener !== undefined) this.gateway.marketStreams.leave(this.listener)
    this.gateway.ended(this)
  }

  /** Its desk is asked to arm it, and must hear from here on that it lives, or to disarm it. */
  lease(armed: boolean): void {
    if (!armed) this.isArmed = false
    else {
      this.isLeased = true
      this.gateway.leased()
    }
  }

  arm(armed: boolean): void {
    this.isLeased = this.isArmed = armed
    if (armed) this.gateway.leased()
    if (armed === this.isToldArmed) return
    this.isToldArmed = armed
    if (this.subscriptions.channels.has("cancel_on_disconnect")) this.send(Frame.cancelOnDisconnect(armed))
  }

  /** The user has come further, or not so far any more. */
  renew(eligibility: Eligibility): void {
    if (this.member !== undefined) this.member = { ...this.member, eligibility }
  }

  /** What is said of its client shall be no older than this, while it is armed. */
  probe(): void {
    if (this.gateway.nowMillis() - this.heardAtMillis >= probedAfterMillis) this.transport.ping()
  }

  /** Its desk, which had not heard of these for too long, has cancelled for them. */
  lost(connectionIds: ReadonlyArray<string>): void {
    if (this.isArmed && connectionIds.includes(this.connectionId)) this.close(1013, takenForLost)
  }

  /** Once a second, while something is due to some connection. */
  tick(): void {
    const now = this.gateway.nowMillis()
    if (this.member === undefined && now - this.openedAtMillis > authWithinMillis) {
      this.close(1008, "no auth message within a minute")
    }
    this.replies.giveUp(now)
  }

  /** Sends the balance and the positions in these symbols, or in all, unless much waits to be read. */
  tellSummary(summary: AccountSummary, symbols?: ReadonlySet<MarketSymbol>): void {
    if (this.transport.waitingBytes() > maxPulseBytes) return
    const { gateway, subscriptions } = this
    for (const frame of SummaryFrames.of(subscriptions, gateway.instruments, summary, symbols)) this.send(frame)
  }

  /**
   * Its gateway stops: it is closed right behind the next answer after which nothing is outstanding. A client that waits for
   * each answer has then sent nothing that goes unread.
   */
  finish(): void {
    this.isFinishing = true
  }

  /** From here on frames are refused; what is outstanding still comes. */
  drain(): void {
    this.isDraining = true
  }

  /** Something that came before has no answer yet. */
  isOutstanding(): boolean {
    return this.backpressure.outstanding.weight > 0 || this.early !== undefined
  }

  /** Nothing has come from its client for a while, so that likely nothing is on its way. */
  isQuiet(): boolean {
    return this.gateway.nowMillis() - this.heardAtMillis >= quietAfterMillis
  }

  /** It waits for an answer, or to hear who this is. */
  isWaiting(): boolean {
    return this.member === undefined || this.backpressure.outstanding.weight > 0
  }

  private answered(): void {
    if (this.isFinishing && !this.isOutstanding()) this.close(1001, goingDown)
  }

  private trade(member: Member, command: TradingCommand, text: string): void {
    const cost = Command.weight(command)
    const expected = this.gateway.handle(this, member, command, cost, text)
    if (expected._tag === "Answered") {
      const symbol = "symbol" in command ? command.symbol : null
      this.replies.append(symbol, this.limitRefusal(cost.weight, text) ?? expected.frame)
    } else {
      this.replies.expect(expected._tag === "Query" ? LargeAnswers.paced(this.largeAnswers, expected) : expected)
      if (expected._tag !== "Query") this.gateway.submit(this, member, expected)
    }
    if (this.backpressure.outstanding.weight > 0) this.gateway.due()
    this.backpressure.update()
  }

  /** Charges what no desk decides. Where the user has spent all, the refusal is its answer. */
  private limitRefusal(weight: number, text: string): string | undefined {
    const waitMillis = this.charge.spend(weight)
    return waitMillis === 0 ? undefined : Frame.rateLimited(waitMillis, Incoming.ofObject(text))
  }

  private subscribe(member: Member, asked: Subscribe | Unsubscribe, text: string): void {
    const limited = this.limitRefusal(Command.weight(asked).weight, text)
    if (limited !== undefined) return this.send(limited)
    const isPulseDue = Subscriptions.change(this.subscriptions, member.caller, asked, text, (frame) => this.send(frame))
    if (asked.marketData !== undefined) this.hear(asked.marketData, text)
    if (isPulseDue) this.replies.expect(this.gateway.pulse(this, member, text))
    this.backpressure.update()
  }

  private hear(asked: Fields, text: string): void {
    const { change, listed, open } = this.gateway.marketStreams
    this.listener ??= open({
      send: (frame) => this.send(frame),
      close: (code, reason) => this.close(code, reason),
      waitingBytes: () => this.transport.waitingBytes(),
      isOverfull: () => this.transport.isOverfull()
    })
    change(this.listener, MarketData.decodeFields(asked, text, listed), text)
  }

  private refuseStranger(command: Command.Command | Command.Unreadable, text: string): void {
    this.unsigned += 1
    const isUnreadable = command._tag === "Malformed" && command.meant !== "other"
    this.send(isUnreadable ? Frame.malformed(command) : SignInRefusal.signInFirst(text))
    this.answered()
  }

  private refuse(malformed: Command.Unreadable, text: string): void {
    const refusal = malformed.meant === "auth" ? SignInRefusal.signedInAlready : Frame.malformed(malformed)
    this.replies.append(malformed.symbol, this.limitRefusal(Command.weight(malformed).weight, text) ?? refusal)
    this.answered()
  }

  private keep(early: Array<string>, text: string): void {
    this.earlyWeight += Backpressure.weightOf(text)
    if (this.earlyWeight <= maxEarly) early.push(text)
    else this.close(1008, "too many frames before the answer to auth")
  }

  private signIn(auth: Auth): void {
    if (this.member !== undefined) return this.send(SignInRefusal.signedInAlready)
    this.early = []
    this.earlyWeight = 0
    this.gateway.signIn(this.connectionId, auth, this.origin, (answer) => {
      // Its desk may have been told of it meanwhile.
      if (this.isOver) return this.gateway.ended(this)
      const waited = this.early ?? []
      this.early = undefined
      if (answer === "denied") {
        this.send(SignInRefusal.denied)
        return this.close(1008, "authentication failed")
      }
      if (answer === "tooMany") {
        this.send(SignInRefusal.tooMany)
        return this.close(1008, "too many connections")
      }
      if (answer === "unavailable") this.send(SignInRefusal.unavailable)
      else this.welcome(answer)
      for (const text of waited) this.receive(text)
    })
  }

  private welcome(member: Member): void {
    this.member = member
    this.unfollow = this.gateway.follow(member.accountId, {
      observe: (event, batch) => this.observe(member.accountId, event, batch),
      filled: (event, order, batch) => this.filled(event, order, batch),
      broken: () => this.close(1011, "an event could not be sent")
    })
    this.backpressure.join()
    this.gateway.opened(this, member)
    this.send(Frame.authenticated)
  }

  private observe(accountId: AccountId, event: MarketEvent, batch: Batch): void {
    const { symbol } = batch.instrument
    if (this.subscriptions.sendsPulses && event._tag === "Traded") this.gateway.filled(this, symbol)
    const reply = AccountEvents.replyTo(event, accountId, batch, this.subscriptions)
    // The start of a TWAP answers the command, so the client receives it without a subscription.
    const isAnswer = event._tag === "TwapOpened" && this.replies.isExpected(symbol, event.twap.twapId)
    this.replies.deliver(isAnswer ? { ...reply, order: AccountEvents.order(event, accountId, batch) } : reply)
  }

  /** Sends the order of a fill as the command left it, once for each fill. */
  private filled(event: Traded, order: Order, batch: Batch): void {
    if (this.subscriptions.sendsOrders) this.replies.deliver(AccountEvents.filledReply(event, order, batch))
  }
}

/** A client has come. */
export const open = (connectionId: string, gateway: Gateway, transport: Transport, origin: Origin): Receiver => {
  const connection = new Connection(connectionId, gateway, transport, origin)
  gateway.arrived(connection)
  return {
    text: (text) => connection.receive(text),
    heard: () => connection.heard(),
    closed: (isGivenUp) => connection.closed(isGivenUp)
  }
}

/** A venue that stops closes its connections with this reason. */
export const goingDown = "the venue is going down"

const takenForLost = "the connection was taken for lost, and the account's orders were cancelled: connect again"
