/**
 * The replies of one connection that begin with an acknowledgement, to cancels of all orders and to commands about stops:
 * each is sent once every market it touched has committed and its turn among the connection's commands has come. What became
 * of the orders waits behind it, in the reply queues of their symbols.
 */
import * as Frame from "@venue/api/trade/Frame"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"

export interface Acknowledgement {
  readonly incoming: string | undefined
  /** Markets it touches; unknown until the desk says which. */
  symbols: ReadonlyArray<MarketSymbol> | undefined
  readonly answered: Set<MarketSymbol>
  readonly dueMillis: number
  /** What its market refuses is not acknowledged: its one answer is an error. */
  readonly isOfStop: boolean
  /** It is sent instead of an acknowledgement. */
  refusal: string | undefined
  isItsTurn: boolean
  /** It is called when all is said. */
  readonly done: () => void
}

/** They are kept by command id. */
export type Acknowledgements = Map<string, Acknowledgement>

export const make = (): Acknowledgements => new Map()

export const begin = (
  replies: Acknowledgements,
  commandId: string,
  { done, dueMillis, incoming, isOfStop }: Pick<Acknowledgement, "incoming" | "dueMillis" | "done" | "isOfStop">
): void =>
  void replies.set(commandId, {
    incoming,
    dueMillis,
    done,
    isOfStop,
    symbols: undefined,
    answered: new Set(),
    refusal: undefined,
    isItsTurn: false
  })

/** Everything that came before it is answered. */
export const turn = (replies: Acknowledgements, commandId: string, send: (text: string) => void): void => {
  const reply = replies.get(commandId)
  if (reply === undefined) return
  reply.isItsTurn = true
  answer(replies, commandId, reply, send)
}

/** This market has answered, and its log told what became of the orders there. */
export const answered = (
  replies: Acknowledgements,
  commandId: string,
  symbol: MarketSymbol,
  send: (text: string) => void
): void => {
  const reply = replies.get(commandId)
  if (reply === undefined) return
  reply.answered.add(symbol)
  answer(replies, commandId, reply, send)
}

/** The desk says which markets it touches. */
export const touched = (
  replies: Acknowledgements,
  commandId: string,
  symbols: ReadonlyArray<MarketSymbol>,
  send: (text: string) => void
): void => {
  const reply = replies.get(commandId)
  if (reply === undefined) return
  reply.symbols = symbols
  answer(replies, commandId, reply, send)
}

/** Its request is refused, by a desk or a market. What the markets have told of it all the same is sent after that. */
export const refuse = (
  replies: Acknowledgements,
  commandId: string,
  refusal: string,
  send: (text: string) => void
): void => {
  const reply = replies.get(commandId)
  // It was given up.
  if (reply === undefined) return send(refusal)
  reply.refusal = refusal
  answer(replies, commandId, reply, send)
}

/** Gives up on those whose answer is overdue, and not on those that only wait for their turn: `unknown` tells the client. */
export const giveUp = (
  replies: Acknowledgements,
  nowMillis: number,
  unknown: (incoming: string | undefined) => void
): void => {
  for (const [commandId, reply] of replies) {
    if (reply.dueMillis > nowMillis || isComplete(reply)) continue
    replies.delete(commandId)
    unknown(reply.incoming)
    reply.done()
  }
}

const answer = (
  replies: Acknowledgements,
  commandId: string,
  reply: Acknowledgement,
  send: (text: string) => void
): void => {
  if (!reply.isItsTurn || !isComplete(reply)) return
  replies.delete(commandId)
  send(reply.refusal ?? Frame.ack(reply.incoming))
  reply.done()
}

const isComplete = ({ answered, refusal, symbols }: Acknowledgement): boolean =>
  refusal !== undefined || (symbols !== undefined && symbols.every((symbol) => answered.has(symbol)))
