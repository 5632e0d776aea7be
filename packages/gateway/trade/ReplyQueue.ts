/**
 * The replies that are outstanding on one symbol of one connection. Events come in the order of the log, which is the order
 * of the commands as a rule; what a desk answers by itself comes when it comes, and waits here for its turn.
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

/** This waits behind a command without an answer. */
interface Waiting {
  readonly commandId: undefined
  readonly text: string
  /** It tells of this command; empty where it is of none of the connection's. An order has the id of its command. */
  readonly of: string
  /** The log told it, so nothing that the log tells later may be sent before it. */
  readonly isRecorded: boolean
}

type Entry = Expected | Waiting

export interface ReplyQueue {
  readonly entries: Array<Entry>
  /** So many of the entries are texts that the log told. */
  recorded: number
  /** It belongs to the connection and includes the weight of the entries. */
  readonly outstanding: Backpressure.Outstanding
}

export const make = (outstanding: Backpressure.Outstanding): ReplyQueue => ({ entries: [], recorded: 0, outstanding })

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
 * the command is answered by it. `ended`: it tells the end of this order, which may have been placed by a later command.
 */
export const tell = (
  queue: ReplyQueue,
  commandId: string,
  text: string,
  last: boolean,
  send: (text: string) => void,
  ended = ""
): void => {
  if (reply(queue, commandId, text, last, true, send, ended) || text === "") return
  const behind = lastRecorded(queue)
  if (behind === -1) send(text)
  else insert(queue, behind + 1, { commandId: undefined, text, of: "", isRecorded: true })
}

/** What the log tells about a command that is acknowledged first, in this queue: it waits until that has been said. */
export const tellAfter = (queue: ReplyQueue, commandId: string, text: string): void => {
  const at = queue.entries.findIndex((entry) => entry.commandId === commandId)
  insert(queue, Math.max(at, lastRecorded(queue)) + 1, { commandId: undefined, text, of: commandId, isRecorded: true })
}

/** What nobody has to be asked for. It is sent once everything before it is answered. */
export const say = (queue: ReplyQueue, text: string, send: (text: string) => void): void => {
  if (queue.entries.length === 0) send(text)
  else insert(queue, queue.entries.length, { commandId: undefined, text, of: "", isRecorded: false })
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
  send: (text: string) => void,
  ended = ""
): boolean => {
  const { entries } = queue
  if (commandId === "" || entries.length === 0) return false
  // What a desk answers by itself is most often about the newest command.
  const at = entries[0]!.commandId === commandId ? 0 : entries.findLastIndex((entry) => entry.commandId === commandId)
  if (at === -1) return false
  // Its market may have taken the command that placed it first.
  const behind = ended === "" || queue.recorded === 0 ? -1 : entries.findLastIndex((entry) => isToldOf(entry, ended))
  if (at > 0 || behind !== -1)
    insert(queue, Math.max(at, behind + 1), { commandId: undefined, text, of: commandId, isRecorded })
  else if (text !== "") send(text)
  if (last) {
    // What was put before it has moved it on.
    remove(queue, entries[at]!.commandId === commandId ? at : at + 1)
    if (at === 0) release(queue, send)
  }
  return true
}

const isToldOf = (entry: Entry, commandId: string): boolean => entry.commandId === undefined && entry.of === commandId

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
    remove(queue, 0)
    release(queue, send)
  }
}

/** Sends what waited behind the head, and asks the query that has become the head. */
const release = (queue: ReplyQueue, send: (text: string) => void): void => {
  const { entries } = queue
  while (entries.length > 0) {
    const head = entries[0]!
    if (head.commandId !== undefined) return head.start?.()
    remove(queue, 0)
    if (head.text !== "") send(head.text)
  }
}

/** Where the newest text that the log told waits, or -1. */
const lastRecorded = ({ entries, recorded }: ReplyQueue): number =>
  recorded === 0 ? -1 : entries.findLastIndex((entry) => entry.commandId === undefined && entry.isRecorded)

const push = (queue: ReplyQueue, expected: Expected): void => {
  queue.entries.push(expected)
  queue.outstanding.weight += weightOf(expected)
}

const insert = (queue: ReplyQueue, at: number, waiting: Waiting): void => {
  queue.entries.splice(at, 0, waiting)
  queue.outstanding.weight += weightOf(waiting)
  if (waiting.isRecorded) queue.recorded += 1
}

const remove = (queue: ReplyQueue, at: number): void => {
  const entry = at === 0 ? queue.entries.shift()! : queue.entries.splice(at, 1)[0]!
  queue.outstanding.weight -= weightOf(entry)
  if (entry.commandId === undefined && entry.isRecorded) queue.recorded -= 1
}

const weightOf = (entry: Entry): number =>
  Backpressure.weightOf(entry.commandId === undefined ? entry.text : entry.request)
