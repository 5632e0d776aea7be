/** The replies that one connection waits for, in the order in which their commands came. */
import * as Incoming from "@venue/api/Incoming"
import * as Frame from "@venue/api/trade/Frame"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as Backpressure from "./Backpressure.ts"
import * as Acknowledgement from "./Acknowledgement.ts"
import type { ExpectedAcknowledgement, ExpectedOrder, ExpectedQuery, ExpectedReply } from "./ExpectedReply.ts"
import * as ReplyBarrier from "./ReplyBarrier.ts"
import * as ReplyQueue from "./ReplyQueue.ts"

export class Replies {
  private readonly backpressure: Backpressure.Backpressure
  private readonly isListed: (symbol: MarketSymbol) => boolean
  private readonly send: (text: string) => void
  private readonly queues = new Map<MarketSymbol, ReplyQueue.ReplyQueue>()
  private readonly barriers = ReplyBarrier.make()
  private readonly acknowledgements = Acknowledgement.make()

  constructor(
    backpressure: Backpressure.Backpressure,
    isListed: (symbol: MarketSymbol) => boolean,
    send: (text: string) => void
  ) {
    this.backpressure = backpressure
    this.isListed = isListed
    this.send = (text) => {
      if (text !== "") send(text)
    }
  }

  /** A command has its turn behind those before it; a query is asked when that has come. */
  expect(expected: ExpectedReply): void {
    if (expected._tag === "Query") this.expectQuery(expected)
    else if (expected._tag === "Acknowledgement") this.expectAcknowledgement(expected)
    else if (expected.ordering === "bySymbol") ReplyQueue.expect(this.queueOf(expected.symbol), expected)
    else this.backpressure.outstanding.weight += Backpressure.weightOf(expected.request)
  }

  /** It was found on the spot: where it is about a symbol, it comes behind what was asked about that before. */
  say(symbol: string | null, frame: string): void {
    const named = MarketSymbol.make(symbol ?? "")
    if (!this.isListed(named)) return this.send(frame)
    ReplyQueue.say(this.queueOf(named), frame, this.send)
    this.backpressure.update()
  }

  /** The desk has handed it on to these markets, whose logs answer it. */
  handedOn(expected: ExpectedOrder | ExpectedAcknowledgement, symbols: ReadonlyArray<MarketSymbol>): void {
    if (expected._tag === "Acknowledgement") {
      Acknowledgement.touched(this.acknowledgements, expected.commandId, symbols, this.send)
      this.backpressure.update()
    } else if (expected.ordering === "none") this.answer(expected, "")
  }

  /** The desk has answered it by itself; an empty frame is not sent. */
  answer(expected: ExpectedOrder | ExpectedAcknowledgement, frame: string): void {
    const { commandId, request, symbol } = expected
    if (expected._tag === "Acknowledgement") Acknowledgement.refuse(this.acknowledgements, commandId, frame, this.send)
    else if (expected.ordering === "bySymbol") ReplyQueue.answer(this.queueOf(symbol), commandId, frame, this.send)
    else {
      this.send(frame)
      this.backpressure.outstanding.weight -= Backpressure.weightOf(request)
    }
    this.backpressure.update()
  }

  /** Nobody knows what became of it: that is said where nothing has been said of it, that it is unknown included. */
  unknown(expected: ExpectedOrder | ExpectedAcknowledgement, frame: string): void {
    const isWithoutOrder = expected._tag === "Order" && expected.ordering === "none"
    if (isWithoutOrder || this.isOutstanding(expected)) this.answer(expected, frame)
  }

  /** Its outcome is not known yet, nor was it given up. */
  isOutstanding({ _tag, commandId, symbol }: ExpectedOrder | ExpectedAcknowledgement): boolean {
    return _tag === "Acknowledgement" ? this.acknowledgements.has(commandId) : this.isExpected(symbol, commandId)
  }

  /**
   * The log of a market tells this of a command, or of none of this connection's; empty frames are not sent. `beside` is
   * told before the order: its fill, or the stop. `refused` is empty unless the market refused the command with it, `ended`
   * unless it tells the end of that order.
   */
  tell(
    symbol: MarketSymbol,
    commandId: string,
    beside: string,
    order: string,
    isLast: boolean,
    refused: string,
    ended = ""
  ): void {
    const { acknowledgements, send } = this
    if (acknowledgements.size > 0 && acknowledgements.has(commandId)) {
      return this.tellAfterAcknowledgement(symbol, commandId, beside, order, isLast, refused)
    }
    const queue = this.queues.get(symbol)
    if (queue === undefined || queue.entries.length === 0) {
      send(beside)
      return send(order)
    }
    if (beside !== "") ReplyQueue.tell(queue, commandId, beside, false, send, ended)
    ReplyQueue.tell(queue, commandId, order, isLast, send, ended)
    this.backpressure.update()
  }

  /** The command has no answer yet. */
  isExpected(symbol: MarketSymbol, commandId: string): boolean {
    return this.queues.get(symbol)?.entries.some((entry) => entry.commandId === commandId) ?? false
  }

  /** Tells of all commands whose answer has not come by that time that their outcome is not known. */
  giveUp(nowMillis: number): void {
    const unknown = (incoming: string | undefined) => this.send(Frame.err("ServerError", unknownOutcome, incoming))
    for (const queue of this.queues.values()) {
      ReplyQueue.giveUp(queue, nowMillis, (request) => unknown(Incoming.ofObject(request)), this.send)
    }
    Acknowledgement.giveUp(this.acknowledgements, nowMillis, unknown)
    this.backpressure.update()
  }

  private tellAfterAcknowledgement(
    symbol: MarketSymbol,
    commandId: string,
    beside: string,
    order: string,
    isLast: boolean,
    refused: string
  ): void {
    const { acknowledgements, send } = this
    const { incoming, isOfStop } = acknowledgements.get(commandId)!
    if (refused !== "" && isOfStop) {
      const refusal = Frame.err("InvalidOrder", `the stop order was not changed: ${refused}`, incoming)
      Acknowledgement.refuse(acknowledgements, commandId, refusal, send)
    } else {
      const queue = this.queueOf(symbol)
      for (const frame of [beside, order]) if (frame !== "") ReplyQueue.tellAfter(queue, commandId, frame)
      if (isLast) Acknowledgement.answered(acknowledgements, commandId, symbol, send)
    }
    this.backpressure.update()
  }

  private expectAcknowledgement({ commandId, dueMillis, isOfStop, request, symbol }: ExpectedAcknowledgement): void {
    const { acknowledgements, barriers, send } = this
    const { outstanding } = this.backpressure
    const isOfAll = symbol === ""
    const touched = isOfAll ? this.queues.values() : this.isListed(symbol) ? [this.queueOf(symbol)] : []
    const incoming = Incoming.ofObject(request)
    const weight = Backpressure.weightOf(incoming ?? "")
    outstanding.weight += weight
    const done = () => {
      outstanding.weight -= weight
      ReplyBarrier.leave(barriers, commandId, send)
    }
    Acknowledgement.begin(acknowledgements, commandId, { incoming, dueMillis, done, isOfStop })
    ReplyBarrier.enter(barriers, commandId, touched, isOfAll, () =>
      Acknowledgement.turn(acknowledgements, commandId, send)
    )
  }

  private expectQuery({ ask, commandId, ordering, request, symbol }: ExpectedQuery): void {
    if (ordering === "bySymbol") {
      const queue = this.queueOf(symbol)
      const answer = (frame: string) => {
        ReplyQueue.answer(queue, commandId, frame, this.send)
        this.backpressure.update()
      }
      return ReplyQueue.ask(queue, commandId, request, () => ask(answer))
    }
    const { outstanding } = this.backpressure
    const weight = Backpressure.weightOf(request)
    outstanding.weight += weight
    const answer = (frame: string) => {
      outstanding.weight -= weight
      this.send(frame)
      if (ordering === "afterAll") ReplyBarrier.leave(this.barriers, commandId, this.send)
      this.backpressure.update()
    }
    if (ordering === "none") ask(answer)
    else ReplyBarrier.enter(this.barriers, commandId, this.queues.values(), true, () => ask(answer))
  }

  private queueOf(symbol: MarketSymbol): ReplyQueue.ReplyQueue {
    let queue = this.queues.get(symbol)
    if (queue === undefined) {
      queue = ReplyQueue.make(this.backpressure.outstanding)
      this.queues.set(symbol, queue)
      ReplyBarrier.extend(this.barriers, queue)
    }
    return queue
  }
}

const unknownOutcome =
  "the outcome is not known yet; it is told when it is, and get_user_orders and get_user_trades show it"
