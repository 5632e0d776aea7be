/**
 * The replies that are outstanding on one symbol of one connection. Events come in the order of the log, which is the
 * order of the commands; what a desk answers by itself comes when it comes, and waits here for its turn.
 */
import * as Backpressure from "./Backpressure.ts"

/** A command whose answer is due at that time, or its outcome is unknown. */
export interface Expected {
  readonly commandId: string
  /** This is the frame it came as, for the error that may be its answer. */
  readonly request: string
  readonly dueMillis: number
  readonly start?: () => void
}

/** A command without an answer yet, or text that waits behind one. */
type Entry =
  | Expected
  | {
      readonly commandId: undefined
      readonly text: string
      /** The log told it, so nothing that the log tells later may be sent before it. */
      readonly isRecorded: boolean
    }

export interface ReplyQueue {
  readonly entries: Array<Entry>
  /** It belongs to the connection and includes the weight of the entries. */
  readonly outstanding: Backpressure.Outstanding
}

export const make = (outstanding: Backpressure.Outstanding): ReplyQueue => ({ entries: [], outstanding })

/** A command went out. */
export const expect = (queue: ReplyQueue, expected: Expected): void => push(queue, expected)

/**
 * Something is asked once everything before it is answered: at once when nothing is outstanding. It is never given up
 * here: it may begin late, and whoever is asked has a deadline.
 */
export const ask = (queue: ReplyQueue, commandId: string, request: string, start: () => void): void => {
  push(queue, { commandId, request, dueMillis: Infinity, start })
  if (queue.entries.length === 1) start()
}

/**
 * What the log tells about a command, or about none of this connection's. It is sent, or waits for its turn. `last`:
 * the command is answered by it.
 */
export const tell = (
  queue: ReplyQueue,
  commandId: string,
  text: string,
  last: boolean,
  send: (text: string) => void
): void => {
  if (reply(queue, commandId, text, last, true, send) || text === "") return
  const behind = queue.entries.findLastIndex((entry) => entry.commandId === undefined && entry.isRecorded)
  if (behind === -1) send(text)
  else replace(queue, behind + 1, 0, { commandId: undefined, text, isRecorded: true })
}

/** What a desk answers by itself. It is sent at the command's turn; at once where that was given up. */
export const answer = (queue: ReplyQueue, commandId: string, text: string, send: (text: string) => void): void => {
  if (!reply(queue, commandId, text, true, false, send)) send(text)
}

/** Answers false when no reply to the command is outstanding. */
const reply = (
  queue: ReplyQueue,
  commandId: string,
  text: string,
  last: boolean,
  isRecorded: boolean,
  send: (text: string) => void
): boolean => {
  const { entries } = queue
  if (commandId === "" || entries.length === 0) return false
  if (entries[0]!.commandId === commandId) {
    if (text !== "") send(text)
    if (last) {
      shift(queue)
      if (entries.length > 0) release(queue, send)
    }
    return true
  }
  // What a desk answers by itself is most often about the newest command.
  const at = entries.findLastIndex((entry) => entry.commandId === commandId)
  if (at === -1) return false
  replace(queue, at, last ? 1 : 0, { commandId: undefined, text, isRecorded })
  return true
}

/** Gives up on commands whose answer is overdue: `unknown` says so to the client at their turn. */
export const giveUp = (
  queue: ReplyQueue,
  nowMillis: number,
  unknown: (request: string) => void,
  send: (text: string) => void
): void => {
  while (queue.entries.length > 0) {
    const head = queue.entries[0]!
    if (head.commandId === undefined || head.dueMillis > nowMillis) return
    unknown(head.request)
    shift(queue)
    release(queue, send)
  }
}

/** Sends what waited behind the head, and asks the query that has become the head. */
const release = (queue: ReplyQueue, send: (text: string) => void): void => {
  const { entries } = queue
  while (entries.length > 0) {
    const head = entries[0]!
    if (head.commandId !== undefined) return head.start?.()
    shift(queue)
    if (head.text !== "") send(head.text)
  }
}

const push = (queue: ReplyQueue, entry: Entry): void => {
  queue.entries.push(entry)
  queue.outstanding.weight += weightOf(entry)
}

const shift = (queue: ReplyQueue): void => {
  queue.outstanding.weight -= weightOf(queue.entries.shift()!)
}

const replace = (queue: ReplyQueue, at: number, count: 0 | 1, by: Entry): void => {
  const [replaced] = queue.entries.splice(at, count, by)
  queue.outstanding.weight += weightOf(by) - (replaced === undefined ? 0 : weightOf(replaced))
}

const weightOf = (entry: Entry): number =>
  Backpressure.weightOf(entry.commandId === undefined ? entry.text : entry.request)
