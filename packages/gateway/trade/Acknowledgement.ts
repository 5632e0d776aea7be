/**
 * The replies of one connection that begin with an acknowledgement, to cancels of all orders and to commands about stops:
 * each is sent once every market it touched has committed and its turn among the connection's commands has come, and what
 * became of the orders is told then.
 */
import * as Frame from "@venue/api/trade/Frame"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"

export interface Acknowledgement {
  readonly incoming: string | undefined
  /** Markets it touches; unknown until the desk says which. */
  symbols: ReadonlyArray<MarketSymbol> | undefined
  readonly answered: Set<MarketSymbol>
  readonly frames: Array<string>
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
    frames: [],
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

/**
 * What the log tells of one market. `last`: that market has answered. `refused`: with this, or it is empty. Answers false
 * when it belongs to none of these.
 */
export const tell = (
  replies: Acknowledgements,
  commandId: string,
  symbol: MarketSymbol,
  frames: ReadonlyArray<string>,
  last: boolean,
  refused: string,
  send: (text: string) => void
): boolean => {
  const reply = replies.get(commandId)
  if (reply === undefined) return false
  if (refused !== "" && reply.isOfStop) {
    reply.refusal = Frame.err("InvalidOrder", `the stop order was not changed: ${refused}`, reply.incoming)
  } else reply.frames.push(...frames.filter((frame) => frame !== ""))
  if (last) reply.answered.add(symbol)
  answer(replies, commandId, reply, send)
  return true
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

/** Its request is refused. What the markets have told of it all the same is sent after that. */
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
  unknown: (incoming: string | undefined) => void,
  send: (text: string) => void
): void => {
  for (const [commandId, reply] of replies) {
    if (reply.dueMillis > nowMillis || isComplete(reply)) continue
    replies.delete(commandId)
    unknown(reply.incoming)
    reply.frames.forEach(send)
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
  reply.frames.forEach(send)
  reply.done()
}

const isComplete = ({ answered, refusal, symbols }: Acknowledgement): boolean =>
  refusal !== undefined || (symbols !== undefined && symbols.every((symbol) => answered.has(symbol)))
