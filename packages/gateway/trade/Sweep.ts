/**
 * Cancels of all orders that one connection is owed the answer of: acknowledged once every market they touched has
 * committed, and told order by order then.
 */
import * as Frame from "@venue/api/trade/Frame"
import * as Dues from "./Dues.ts"

export interface Sweep {
  readonly incoming: string | undefined
  /** Markets it touches; unknown until the desk says which. */
  symbols: ReadonlyArray<string> | undefined
  readonly answered: Set<string>
  readonly frames: Array<string>
  readonly dueMillis: number
}

/** By command id. */
export type Sweeps = Map<string, Sweep>

export const make = (): Sweeps => new Map()

/** What they count for in all. */
export const owed = (sweeps: Sweeps): number => {
  let dues = 0
  for (const { incoming } of sweeps.values()) dues += Dues.of(incoming ?? "")
  return dues
}

export const begin = (sweeps: Sweeps, commandId: string, incoming: string | undefined, dueMillis: number): void =>
  void sweeps.set(commandId, { incoming, symbols: undefined, answered: new Set(), frames: [], dueMillis })

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

/** Its request is answered otherwise. What the markets have told of it all the same is sent after that answer. */
export const forget = (sweeps: Sweeps, commandId: string, send: (text: string) => void): void => {
  const frames = sweeps.get(commandId)?.frames ?? []
  sweeps.delete(commandId)
  frames.forEach(send)
}

/** Gives up on those that are overdue: `unknown` says so to the client. */
export const giveUp = (
  sweeps: Sweeps,
  nowMillis: number,
  unknown: (incoming: string | undefined) => void,
  send: (text: string) => void
): void => {
  for (const [commandId, { dueMillis, frames, incoming }] of sweeps) {
    if (dueMillis > nowMillis) continue
    sweeps.delete(commandId)
    unknown(incoming)
    frames.forEach(send)
  }
}

const answer = (
  sweeps: Sweeps,
  commandId: string,
  { answered, frames, incoming, symbols }: Sweep,
  send: (text: string) => void
): void => {
  if (symbols === undefined || !symbols.every((symbol) => answered.has(symbol))) return
  sweeps.delete(commandId)
  send(Frame.ack(incoming))
  frames.forEach(send)
}
