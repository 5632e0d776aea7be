/**
 * The answers one connection still owes on one symbol. Facts come in the order of the log, which is the order of the
 * commands; what a desk answers by itself comes when it comes, and waits here for its place.
 */
import * as Dues from "./Dues.ts"

/** A command without an answer yet, or text that waits behind one. */
type Entry =
  | {
      readonly commandId: string
      /** The frame it came as, for the error that may be its answer. */
      readonly request: string
      readonly dueMillis: number
      readonly start?: () => void
    }
  | {
      readonly commandId: undefined
      readonly text: string
      /** The log told it, so nothing that the log tells later may be sent before it. */
      readonly isRecorded: boolean
    }

export interface Lane {
  readonly entries: Array<Entry>
  /** Of its connection: what the entries count for is in it. */
  readonly tally: Dues.Tally
}

export const make = (tally: Dues.Tally): Lane => ({ entries: [], tally })

/** A command went out; its answer is due at that time, or its outcome is unknown. */
export const expect = (lane: Lane, commandId: string, request: string, dueMillis: number): void => {
  push(lane, { commandId, request, dueMillis })
}

/**
 * Something to be asked once everything before it is answered: at once when nothing is owed. It is never given up here:
 * it may begin late, and whoever is asked has a deadline.
 */
export const ask = (lane: Lane, commandId: string, request: string, start: () => void): void => {
  push(lane, { commandId, request, dueMillis: Infinity, start })
  if (lane.entries.length === 1) start()
}

/**
 * What the log tells about a command, or about none of this connection's. It is sent, or takes its place. `last`: the
 * command is answered by it.
 */
export const tell = (
  lane: Lane,
  commandId: string,
  text: string,
  last: boolean,
  send: (text: string) => void
): void => {
  if (settle(lane, commandId, text, last, true, send) || text === "") return
  const behind = lane.entries.findLastIndex((entry) => entry.commandId === undefined && entry.isRecorded)
  if (behind === -1) send(text)
  else replace(lane, behind + 1, 0, { commandId: undefined, text, isRecorded: true })
}

/** What a desk answers by itself. It is sent, or takes the command's place; at once where that was given up. */
export const answer = (lane: Lane, commandId: string, text: string, send: (text: string) => void): void => {
  if (!settle(lane, commandId, text, true, false, send)) send(text)
}

/** False when the command is owed nothing. */
const settle = (
  lane: Lane,
  commandId: string,
  text: string,
  last: boolean,
  isRecorded: boolean,
  send: (text: string) => void
): boolean => {
  const { entries } = lane
  if (commandId === "" || entries.length === 0) return false
  if (entries[0]!.commandId === commandId) {
    if (text !== "") send(text)
    if (last) {
      shift(lane)
      if (entries.length > 0) release(lane, send)
    }
    return true
  }
  // What a desk answers by itself is most often about the newest command.
  const at = entries.findLastIndex((entry) => entry.commandId === commandId)
  if (at === -1) return false
  replace(lane, at, last ? 1 : 0, { commandId: undefined, text, isRecorded })
  return true
}

/** Gives up on commands whose answer is overdue: `unknown` says so to the client in their place. */
export const giveUp = (
  lane: Lane,
  nowMillis: number,
  unknown: (request: string) => void,
  send: (text: string) => void
): void => {
  while (lane.entries.length > 0) {
    const head = lane.entries[0]!
    if (head.commandId === undefined || head.dueMillis > nowMillis) return
    unknown(head.request)
    shift(lane)
    release(lane, send)
  }
}

/** Sends what waited behind the head, and starts the question that has become the head. */
const release = (lane: Lane, send: (text: string) => void): void => {
  const { entries } = lane
  while (entries.length > 0) {
    const head = entries[0]!
    if (head.commandId !== undefined) return head.start?.()
    shift(lane)
    if (head.text !== "") send(head.text)
  }
}

const push = (lane: Lane, entry: Entry): void => {
  lane.entries.push(entry)
  lane.tally.owed += weightOf(entry)
}

const shift = (lane: Lane): void => {
  lane.tally.owed -= weightOf(lane.entries.shift()!)
}

const replace = (lane: Lane, at: number, count: 0 | 1, by: Entry): void => {
  const [replaced] = lane.entries.splice(at, count, by)
  lane.tally.owed += weightOf(by) - (replaced === undefined ? 0 : weightOf(replaced))
}

const weightOf = (entry: Entry): number => Dues.of(entry.commandId === undefined ? entry.text : entry.request)
