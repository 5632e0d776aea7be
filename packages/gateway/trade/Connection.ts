/** Trade socket connection, from its first frame to its close. */
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
import type { Subscriber } from "../marketData/Streams.ts"
import * as AccountEvents from "./AccountEvents.ts"
import * as Backpressure from "./Backpressure.ts"
import * as DeskCharge from "./DeskCharge.ts"
import type { Answered, ExpectedAcknowledgement, ExpectedOrder, ExpectedQuery, ExpectedReply } from "./ExpectedReply.ts"
import * as LargeAnswers from "./LargeAnswers.ts"
import type { Member, Origin, SignInFailure } from "./Member.ts"
import { Replies, type RepliesOptions } from "./Replies.ts"
import type { TradingCommand } from "./Request.ts"
import * as SignInRefusal from "./SignInRefusal.ts"
import * as Subscriptions from "./Subscriptions.ts"
import * as SummaryFrames from "./SummaryFrames.ts"

/** Maximum weight of the frames stored while `auth` is processed. */
const maxEarly = 256
/** Maximum number of frames other than `auth` before the sign-in. */
const maxUnsigned = 1_000
const authWithinMillis = 60_000
/** Time without a frame after which a draining gateway treats a connection as idle. */
const quietAfterMillis = 1_000
/** Time without a frame or pong after which a connection armed for cancel-on-disconnect is pinged. */
const probedAfterMillis = 1_000

/** Functions of the gateway that a connection calls. */
export interface Gateway {
  readonly nowMillis: () => number
  readonly backpressure: Backpressure.Total
  readonly instruments: ReadonlyMap<MarketSymbol, Instrument>
  /** Authenticates the client and loads its trader. */
  readonly signIn: (
    connectionId: string,
    auth: Auth,
    origin: Origin,
    done: (result: Member | SignInFailure) => void
  ) => void
  /** Charges the message bucket at the user's desk. `waitMillis` is undefined if the desk does not respond. */
  readonly charge: (member: Member, weight: number, done: (waitMillis: number | undefined) => void) => void
  /** Prepares a command without sending it, because its reply must be expected before it can arrive. */
  readonly handle: (
    connection: Connection,
    member: Member,
    command: TradingCommand,
    cost: Cost,
    text: string
  ) => Answered | ExpectedReply
  /** Sends a command to its desk. The command's reply must already be expected. */
  readonly submit: (connection: Connection, member: Member, expected: ExpectedOrder | ExpectedAcknowledgement) => void
  readonly follow: (accountId: AccountId, follower: Omit<Follower, "rank">) => () => void
  /** Returns the query for the first values of the periodic channels that this frame subscribes to. */
  readonly pulse: (connection: Connection, member: Member, text: string) => ExpectedQuery
  /** Called for a fill on the account if the connection subscribes to positions or balances. */
  readonly filled: (connection: Connection, symbol: MarketSymbol) => void
  readonly measured: Pick<RepliesOptions, "answered" | "givenUp">
  readonly after: (millis: number, then: () => void) => void
  readonly marketStreams: MarketStreams["Service"]
  /** Starts the one-second ticks, because a reply or a periodic value is due on a connection. */
  readonly due: () => void
  /** Starts the lease renewals, because a connection is about to be armed for cancel-on-disconnect. */
  readonly leased: () => void
  readonly arrived: (connection: Connection) => void
  readonly opened: (connection: Connection, member: Member) => void
  readonly ended: (connection: Connection) => void
}

export class Connection {
  readonly connectionId: string
  readonly replies: Replies
  readonly subscriptions = Subscriptions.make()
  /** Signed-in user; undefined before the sign-in. */
  member: Member | undefined
  /** True while the desk needs lease renewals for the connection, which is armed or about to be armed. */
  isLeased = false
  /** True from the desk's confirmation that the connection is armed until the request to disarm it. */
  isArmed = false
  /** Time of the client's last frame, pong or close. */
  activeAtMillis: number
  private readonly gateway: Gateway
  private readonly transport: Transport
  private readonly origin: Origin
  private readonly backpressure: Backpressure.Backpressure
  private readonly openedAtMillis: number
  /** Frames received while `auth` is processed; undefined otherwise. */
  private early: Array<string> | undefined
  private earlyWeight = 0
  /** Number of frames received before the sign-in. */
  private unsigned = 0
  private readonly charge: DeskCharge.DeskCharge
  private readonly largeAnswers: LargeAnswers.LargeAnswers
  /** Market-data subscriber of this connection, whose frames are numbered separately. */
  private subscriber: Subscriber | undefined
  /** Value of the last `cancel_on_disconnect` frame. */
  private isReportedArmed = false
  private isFinishing = false
  private isDraining = false
  private isOver = false
  private unfollow = () => {}

  constructor(connectionId: string, gateway: Gateway, transport: Transport, origin: Origin) {
    this.connectionId = connectionId
    this.gateway = gateway
    this.transport = transport
    this.origin = origin
    this.openedAtMillis = this.activeAtMillis = gateway.nowMillis()
    this.charge = DeskCharge.make(
      // Nothing is charged before the sign-in, so `member` is set.
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
      send: (frame) => this.send(frame),
      ...gateway.measured
    })
  }

  receive(text: string): void {
    if (this.isOver) return
    this.recordActivity()
    if (this.early !== undefined) return this.storeEarly(this.early, text)
    if (this.isDraining)
      return this.send(Frame.err("ServerError", `${goingDown}; nothing was done`, Incoming.ofObject(text)))
    const { member } = this
    if (member === undefined && this.unsigned >= maxUnsigned)
      return this.close(1008, "too many frames before an auth message")
    const command = Command.decode(text)
    if (command._tag === "Auth") return this.signIn(command)
    if (member === undefined) return this.refuseUnsigned(command, text)
    if (command._tag === "Malformed") return this.refuse(command, text)
    if (command._tag === "Subscribe" || command._tag === "Unsubscribe") return this.subscribe(member, command, text)
    this.trade(member, command, text)
  }

  send(text: string): void {
    if (this.isOver) return
    this.transport.send(text)
    if (this.transport.isOverfull()) this.close(1013, "the client did not read its frames; 1 MiB was waiting")
  }

  close(code: number, reason: string): void {
    if (this.isOver) return
    this.transport.close(code, reason)
    this.closed()
  }

  recordActivity(): void {
    this.activeAtMillis = this.gateway.nowMillis()
  }

  /** Called when the socket is closed. `isGivenUp` is false if the client closed the socket. */
  closed(isGivenUp = true): void {
    if (this.isOver) return
    if (!isGivenUp) this.recordActivity()
    this.isOver = true
    this.charge.end()
    this.largeAnswers.end()
    this.backpressure.end()
    this.unfollow()
    if (this.subscriber !== undefined) this.gateway.marketStreams.leave(this.subscriber)
    this.gateway.ended(this)
  }

  /** Called before the desk receives the request to arm or disarm the connection. Arming starts the lease renewals. */
  lease(armed: boolean): void {
    if (!armed) this.isArmed = false
    else {
      this.isLeased = true
      this.gateway.leased()
    }
  }

  /** Called when the desk has armed or disarmed the connection. */
  arm(armed: boolean): void {
    this.isLeased = this.isArmed = armed
    if (armed) this.gateway.leased()
    if (armed === this.isReportedArmed) return
    this.isReportedArmed = armed
    if (this.subscriptions.channels.has("cancel_on_disconnect")) this.send(Frame.cancelOnDisconnect(armed))
  }

  /** Replaces the eligibility of the signed-in user. */
  renew(eligibility: Eligibility): void {
    if (this.member !== undefined) this.member = { ...this.member, eligibility }
  }

  /** Pings a client that was idle for a second, so that the activity age reported to its desk stays current. */
  probe(): void {
    if (this.gateway.nowMillis() - this.activeAtMillis >= probedAfterMillis) this.transport.ping()
  }

  /** Closes the connection if its desk reports it as lost, because the desk has cancelled its orders. */
  closeIfLost(connectionIds: ReadonlyArray<string>): void {
    if (this.isArmed && connectionIds.includes(this.connectionId)) this.close(1013, takenForLost)
  }

  /** Called once a second while a reply or a periodic value is due on any connection. */
  tick(): void {
    const now = this.gateway.nowMillis()
    if (this.member === undefined && now - this.openedAtMillis > authWithinMillis) {
      this.close(1008, "no auth message arrived within a minute")
    }
    this.replies.giveUp(now)
  }

  /** Sends the balance and the positions in these symbols (default: all), unless over 64 KiB is unread. */
  sendSummary(summary: AccountSummary, symbols?: ReadonlySet<MarketSymbol>): void {
    if (this.transport.waitingBytes() > maxPulseBytes) return
    const { gateway, subscriptions } = this
    for (const frame of SummaryFrames.of(subscriptions, gateway.instruments, summary, symbols)) this.send(frame)
  }

  /**
   * Called on a stopping gateway. Closes the connection after the next reply that leaves nothing outstanding, because
   * a client that waits for each reply then has no frame in flight.
   */
  finish(): void {
    this.isFinishing = true
  }

  /** Refuses all further frames; outstanding replies are still sent. */
  drain(): void {
    this.isDraining = true
  }

  /** True while an earlier frame has no reply. */
  isOutstanding(): boolean {
    return this.backpressure.outstanding.weight > 0 || this.early !== undefined
  }

  /** True if the client has sent nothing for a second, so that a frame in flight is unlikely. */
  isQuiet(): boolean {
    return this.gateway.nowMillis() - this.activeAtMillis >= quietAfterMillis
  }

  /** True while the connection needs ticks: before the sign-in, and while a reply is outstanding. */
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

  /** Charges a frame that no desk processes. Returns the refusal frame if the user's bucket is empty. */
  private limitRefusal(weight: number, text: string): string | undefined {
    const waitMillis = this.charge.spend(weight)
    return waitMillis === 0 ? undefined : Frame.rateLimited(waitMillis, Incoming.ofObject(text))
  }

  private subscribe(member: Member, change: Subscribe | Unsubscribe, text: string): void {
    const limited = this.limitRefusal(Command.weight(change).weight, text)
    if (limited !== undefined) return this.send(limited)
    const isPulseDue = Subscriptions.change(this.subscriptions, member.caller, change, text, (frame) =>
      this.send(frame)
    )
    if (change.marketData !== undefined) this.subscribeMarketData(change.marketData, text)
    if (isPulseDue) this.replies.expect(this.gateway.pulse(this, member, text))
    this.backpressure.update()
  }

  private subscribeMarketData(fields: Fields, text: string): void {
    const { change, listed, open } = this.gateway.marketStreams
    this.subscriber ??= open({
      send: (frame) => this.send(frame),
      close: (code, reason) => this.close(code, reason),
      waitingBytes: () => this.transport.waitingBytes(),
      isOverfull: () => this.transport.isOverfull()
    })
    change(this.subscriber, MarketData.decodeFields(fields, text, listed()), text)
  }

  private refuseUnsigned(command: Command.Command | Command.Unreadable, text: string): void {
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

  private storeEarly(early: Array<string>, text: string): void {
    this.earlyWeight += Backpressure.weightOf(text)
    if (this.earlyWeight <= maxEarly) early.push(text)
    else this.close(1008, "too many frames before the response to auth")
  }

  private signIn(auth: Auth): void {
    if (this.member !== undefined) return this.send(SignInRefusal.signedInAlready)
    this.early = []
    this.earlyWeight = 0
    this.gateway.signIn(this.connectionId, auth, this.origin, (result) => {
      // The desk might have attached the connection after the connection closed.
      if (this.isOver) return this.gateway.ended(this)
      const early = this.early ?? []
      this.early = undefined
      if (result === "denied") {
        this.send(SignInRefusal.denied)
        return this.close(1008, "authentication failed")
      }
      if (result === "tooMany") {
        this.send(SignInRefusal.tooMany)
        return this.close(1008, "too many connections")
      }
      if (result === "unavailable") this.send(SignInRefusal.unavailable)
      else this.welcome(result)
      for (const text of early) this.receive(text)
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
    // The start of a TWAP is the reply to its command, so the client receives it without a subscription.
    const isAnswer = event._tag === "TwapOpened" && this.replies.isExpected(symbol, event.twap.twapId)
    this.replies.deliver(isAnswer ? { ...reply, order: AccountEvents.order(event, accountId, batch) } : reply)
  }

  /** For each fill, sends the filled order in the state that it has after the whole command. */
  private filled(event: Traded, order: Order, batch: Batch): void {
    if (this.subscriptions.sendsOrders) this.replies.deliver(AccountEvents.filledReply(event, order, batch))
  }
}

/** Opens a connection for a new client, and returns the receiver of the client's frames. */
export const open = (connectionId: string, gateway: Gateway, transport: Transport, origin: Origin): Receiver => {
  const connection = new Connection(connectionId, gateway, transport, origin)
  gateway.arrived(connection)
  return {
    text: (text) => connection.receive(text),
    pong: () => connection.recordActivity(),
    closed: (isGivenUp) => connection.closed(isGivenUp)
  }
}

export const goingDown = "the venue is shutting down"

const takenForLost = "the venue considered the connection lost and cancelled the account's orders: connect again"
