/**
 * Outstanding replies of one connection. Replies on a symbol are sent in the order in which its commands arrived.
 *
 * Sequence of a taker order and its replies:
 *
 *     client            gateway                                  desk              market
 *       |  add_order      |                                        |                  |
 *       |---------------->|  expect: entry in the symbol's queue   |                  |
 *       |                 |--- submit ---------------------------->|--- command ----->|  match, commit
 *       |                 |                                        |                  |
 *       |                 |<-- feed: Accepted, Traded ... ----------------------------|
 *       |  ACK            |  deliver Accepted: removes the entry
 *       |<----------------|
 *       |  fills          |  deliver each Traded
 *       |<----------------|
 *       |  FILLED         |  deliver the order after the outcome, once for each fill
 *       |<----------------|
 *
 * If the desk itself refuses the order, for example over the rate limit, it replies through `answer`, which removes the
 * entry. A margin refusal goes through the market and its log, so that it keeps its place in the order of the commands.
 * Every frame on a symbol waits in the queue while an earlier command has no reply.
 *
 * A request about several symbols is a barrier, which has an entry in the queue of each symbol.
 *
 *     queue of A:  a1  [all]  a2         [all] starts when a1 and b1 are answered:
 *     queue of B:  b1  [all]                a query is read then, and leaves with its answer;
 *                                           a cancel of all orders is acknowledged once its markets
 *                                           have committed, and leaves then.
 *                                        Replies to a2 and the order responses of the cancel wait behind it.
 */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/trade/Frame"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Backpressure from "./Backpressure.ts"
import * as Acknowledgement from "./Acknowledgement.ts"
import type { ExpectedAcknowledgement, ExpectedOrder, ExpectedQuery, ExpectedReply } from "./ExpectedReply.ts"
import * as ReplyBarrier from "./ReplyBarrier.ts"
import * as ReplyQueue from "./ReplyQueue.ts"

export interface RepliesOptions {
  readonly backpressure: Backpressure.Backpressure
  readonly isListed: (symbol: MarketSymbol) => boolean
  readonly send: (frame: string) => void
  /** Called with each command on a symbol that has received its last reply, and with queries. */
  readonly answered?: (request: ReplyQueue.PendingRequest) => void
  /** Called for each command whose outcome is reported as unknown. */
  readonly givenUp?: () => void
}

/** Frames for one event in a market's log. Empty frames are not sent. */
export interface EventReply {
  readonly symbol: MarketSymbol
  /** Id of the command that caused the event, or an empty string if no command did. */
  readonly commandId: string
  /** Frame to send before the order frame: a fill, a stop or a TWAP. */
  readonly detail: string
  /** Frame of `order_responses`. */
  readonly order: string
  /** True if the event is the command's final reply. */
  readonly isLast: boolean
  /** Status with which the market refused the command, or an empty string for other events. */
  readonly refusal: string
  /** Id of the order or TWAP that the event concerns, or an empty string for other events. */
  readonly orderId: string
}

export class Replies {
  private readonly backpressure: Backpressure.Backpressure
  private readonly isListed: (symbol: MarketSymbol) => boolean
  private readonly send: (frame: string) => void
  private readonly answered: (request: ReplyQueue.PendingRequest) => void
  private readonly givenUp: () => void
  private readonly queues = new Map<MarketSymbol, ReplyQueue.ReplyQueue>()
  private readonly barriers = ReplyBarrier.make()
  private readonly acknowledgements: Acknowledgement.Acknowledgements

  constructor({ answered = () => {}, backpressure, givenUp = () => {}, isListed, send }: RepliesOptions) {
    this.answered = answered
    this.givenUp = givenUp
    this.backpressure = backpressure
    this.isListed = isListed
    this.send = (frame) => {
      if (frame !== "") send(frame)
    }
    this.acknowledgements = Acknowledgement.make(this.send)
  }

  /** Adds the reply to a command or query behind the earlier replies. A query starts when its turn comes. */
  expect(expected: ExpectedReply): void {
    if (expected._tag === "Query") this.expectQuery(expected)
    else if (expected._tag === "Acknowledgement") this.expectAcknowledgement(expected)
    else if (expected.ordering === "bySymbol") ReplyQueue.expect(this.queueOf(expected.symbol), expected)
    else this.backpressure.outstanding.weight += Backpressure.weightOf(expected.request)
  }

  /**
   * Sends a reply that the gateway produces itself: after earlier replies on its symbol, or at once if the symbol is
   * not listed.
   */
  append(symbol: string | null, frame: string): void {
    const named = MarketSymbol.make(symbol ?? "")
    if (!this.isListed(named)) return this.send(frame)
    ReplyQueue.append(this.queueOf(named), frame)
    this.backpressure.update()
  }

  /** Records the markets to which the desk forwarded the command. Their logs supply the replies. */
  forwarded(expected: ExpectedOrder | ExpectedAcknowledgement, markets: ReadonlyArray<MarketSymbol>): void {
    if (expected._tag === "Acknowledgement") {
      Acknowledgement.forwarded(this.acknowledgements, expected.commandId, markets)
      this.backpressure.update()
    } else if (expected.ordering === "none") this.answer(expected, "")
  }

  /** Ends a command with the desk's own reply; an empty frame is not sent. */
  answer(expected: ExpectedOrder | ExpectedAcknowledgement, frame: string): void {
    const { commandId, request, symbol } = expected
    if (expected._tag === "Acknowledgement") Acknowledgement.refuse(this.acknowledgements, commandId, frame)
    else if (expected.ordering === "bySymbol") ReplyQueue.answer(this.queueOf(symbol), commandId, frame)
    else {
      this.send(frame)
      this.backpressure.outstanding.weight -= Backpressure.weightOf(request)
    }
    this.backpressure.update()
  }

  /** Ends a command by reporting its outcome as unknown. Does nothing if it was already answered or given up. */
  answerUnknown(expected: ExpectedOrder | ExpectedAcknowledgement, frame: string): void {
    const isWithoutQueue = expected._tag === "Order" && expected.ordering === "none"
    if (isWithoutQueue || this.isOutstanding(expected)) this.answer(expected, frame)
  }

  /** True until the command is answered or given up. */
  isOutstanding({ _tag, commandId, symbol }: ExpectedOrder | ExpectedAcknowledgement): boolean {
    return _tag === "Acknowledgement"
      ? this.acknowledgements.pending.has(commandId)
      : this.isExpected(symbol, commandId)
  }

  /** Sends the frames of a market event, or stores them until the earlier replies of its symbol are sent. */
  deliver(event: EventReply): void {
    const { acknowledgements, send } = this
    const { commandId, detail, isLast, order, orderId } = event
    if (acknowledgements.pending.size > 0) {
      const acknowledgement = acknowledgements.pending.get(commandId)
      if (acknowledgement !== undefined) return this.deliverAfterAcknowledgement(acknowledgement, event)
    }
    const queue = this.queues.get(event.symbol)
    if (queue === undefined || queue.entries.length === 0) {
      send(detail)
      return send(order)
    }
    if (detail !== "") ReplyQueue.deliverEvent(queue, { commandId, frame: detail, isLast: false, orderId })
    ReplyQueue.deliverEvent(queue, { commandId, frame: order, isLast, orderId })
    this.backpressure.update()
  }

  /** True if the symbol's queue contains the command, which then has no reply yet. */
  isExpected(symbol: MarketSymbol, commandId: string): boolean {
    return this.queues.get(symbol)?.entries.some((entry) => entry.commandId === commandId) ?? false
  }

  /** Gives up on all commands due by `nowMillis`, and reports their outcome to the client as unknown. */
  giveUp(nowMillis: number): void {
    const unknown = (incoming: string | undefined) => {
      this.givenUp()
      this.send(Frame.err("ServerError", unknownOutcome, incoming))
    }
    for (const queue of this.queues.values()) {
      ReplyQueue.giveUp(queue, nowMillis, (request) => unknown(Incoming.ofObject(request)))
    }
    Acknowledgement.giveUp(this.acknowledgements, nowMillis, unknown)
    this.backpressure.update()
  }

  private deliverAfterAcknowledgement(
    { incoming, isOfStop }: Acknowledgement.Acknowledgement,
    { commandId, detail, isLast, order, orderId, refusal, symbol }: EventReply
  ): void {
    const { acknowledgements } = this
    if (refusal !== "" && isOfStop) {
      const error = Frame.err("InvalidOrder", `the stop order was not changed: ${refusal}`, incoming)
      Acknowledgement.refuse(acknowledgements, commandId, error)
    } else {
      const queue = this.queueOf(symbol)
      for (const frame of [detail, order]) {
        if (frame !== "") ReplyQueue.deliverAfterAcknowledgement(queue, { commandId, frame, orderId })
      }
      if (isLast) Acknowledgement.committed(acknowledgements, commandId, symbol)
    }
    this.backpressure.update()
  }

  private expectAcknowledgement({ commandId, dueMillis, isOfStop, request, symbol }: ExpectedAcknowledgement): void {
    const { acknowledgements, barriers } = this
    const { outstanding } = this.backpressure
    const isOfAll = symbol === ""
    const queues = isOfAll ? this.queues.values() : this.isListed(symbol) ? [this.queueOf(symbol)] : []
    const incoming = Incoming.ofObject(request)
    const weight = Backpressure.weightOf(incoming ?? "")
    outstanding.weight += weight
    const done = () => {
      outstanding.weight -= weight
      ReplyBarrier.leave(barriers, commandId)
    }
    Acknowledgement.expect(acknowledgements, commandId, { incoming, dueMillis, done, isOfStop })
    const start = () => Acknowledgement.takeTurn(acknowledgements, commandId)
    ReplyBarrier.enter(barriers, { id: commandId, queues, isOfAll, start })
  }

  private expectQuery({ commandId, ordering, request, run, symbol }: ExpectedQuery): void {
    if (ordering === "bySymbol") {
      const queue = this.queueOf(symbol)
      const answer = (frame: string) => {
        ReplyQueue.answer(queue, commandId, frame)
        this.backpressure.update()
      }
      return ReplyQueue.enqueueQuery(queue, { commandId, request, start: () => run(answer) })
    }
    const { outstanding } = this.backpressure
    const weight = Backpressure.weightOf(request)
    outstanding.weight += weight
    const answer = (frame: string) => {
      outstanding.weight -= weight
      this.send(frame)
      if (ordering === "afterAll") ReplyBarrier.leave(this.barriers, commandId)
      this.backpressure.update()
    }
    const start = () => run(answer)
    if (ordering === "none") start()
    else ReplyBarrier.enter(this.barriers, { id: commandId, queues: this.queues.values(), isOfAll: true, start })
  }

  private queueOf(symbol: MarketSymbol): ReplyQueue.ReplyQueue {
    let queue = this.queues.get(symbol)
    if (queue === undefined) {
      const { answered, backpressure, send } = this
      queue = ReplyQueue.make({ outstanding: backpressure.outstanding, send, answered })
      this.queues.set(symbol, queue)
      ReplyBarrier.extend(this.barriers, queue)
    }
    return queue
  }
}

const unknownOutcome =
  "the outcome is not known yet; a later frame reports it, and get_user_orders and get_user_trades show it"
