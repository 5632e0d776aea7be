/**
 * Cancels of all orders that one connection is owed the answer of: acknowledged once every market they touched has
 * committed and it is their turn among the connection's commands, and told order by order then.
 */
import * as Frame from "@venue/api/trade/Frame"

export interface Sweep {
  readonly incoming: string | undefined
  /** Markets it touches; unknown until the desk says which. */
  symbols: ReadonlyArray<string> | undefined
  readonly answered: Set<string>
  readonly frames: Array<string>
  readonly dueMillis: number
  /** Instead of an acknowledgement. */
  refusal: string | undefined
  isItsTurn: boolean
  /** Called when all is said. */
  readonly done: () => void
}

/** By command id. */
export type Sweeps = Map<string, Sweep>

export const make = (): Sweeps => new Map()

export const begin = (
  sweeps: Sweeps,
  commandId: string,
  { done, dueMillis, incoming }: Pick<Sweep, "incoming" | "dueMillis" | "done">
): void =>
  void sweeps.set(commandId, {
    incoming,
    dueMillis,
    done,
    symbols: undefined,
    answered: new Set(),
    frames: [],
    refusal: undefined,
    isItsTurn: false
  })

/** Everything that came before it is answered. */
export const turn = (sweeps: Sweeps, commandId: string, send: (text: string) => void): void => {
  const sweep = sweeps.get(commandId)
  if (sweep === undefined) return
  sweep.isItsTurn = true
  answer(sweeps, commandId, sweep, send)
}

/** What the log tells of one market. `last`: that market has answered. False when it belongs to no sweep. */
export const tell = (
  sweeps: Sweeps,
  commandId: string,
  symbol: string,
  frame: string,
  last: boolean,
  send: (text: string) => void
): boolean => {
  const sweep = sweeps.get(commandId)
  if (sweep === undefined) return false
  if (frame !== "") sweep.frames.push(frame)
  if (last) sweep.answered.add(symbol)
  answer(sweeps, commandId, sweep, send)
  return true
}

/** The desk says which markets it touches. */
export const touched = (
  sweeps: Sweeps,
  commandId: string,
  symbols: ReadonlyArray<string>,
  send: (text: string) => void
): void => {
  const sweep = sweeps.get(commandId)
  if (sweep === undefined) return
  sweep.symbols = symbols
  answer(sweeps, commandId, sweep, send)
}

/** Its request is refused. What the markets have told of it all the same is sent after that. */
export const refuse = (sweeps: Sweeps, commandId: string, refusal: string, send: (text: string) => void): void => {
  const sweep = sweeps.get(commandId)
  // It was given up.
  if (sweep === undefined) return send(refusal)
  sweep.refusal = refusal
  answer(sweeps, commandId, sweep, send)
}

/** Gives up on those whose answer is overdue, and not on those that only wait for their turn: `unknown` tells the client. */
export const giveUp = (
  sweeps: Sweeps,
  nowMillis: number,
  unknown: (incoming: string | undefined) => void,
  send: (text: string) => void
): void => {
  for (const [commandId, sweep] of sweeps) {
    if (sweep.dueMillis > nowMillis || isComplete(sweep)) continue
    sweeps.delete(commandId)
    unknown(sweep.incoming)
    sweep.frames.forEach(send)
    sweep.done()
  }
}

const answer = (sweeps: Sweeps, commandId: string, sweep: Sweep, send: (text: string) => void): void => {
  if (!sweep.isItsTurn || !isComplete(sweep)) return
  sweeps.delete(commandId)
  send(sweep.refusal ?? Frame.ack(sweep.incoming))
  sweep.frames.forEach(send)
  sweep.done()
}

const isComplete = ({ answered, refusal, symbols }: Sweep): boolean =>
  refusal !== undefined || (symbols !== undefined && symbols.every((symbol) => answered.has(symbol)))
