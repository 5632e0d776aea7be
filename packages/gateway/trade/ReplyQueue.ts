/**
 * Outstanding replies on one symbol for one connection. Market events arrive in log order, which is usually the order
 * of the commands. Replies that a desk produces itself arrive at any time and wait here for the replies to earlier
 * commands.
 */
import * as Backpressure from "./Backpressure.ts"

/** A command or query that has no reply yet. */
export interface PendingRequest {
  readonly commandId: string
  /** Frame of the request, echoed by an error reply; empty for an entry of a reply barrier. */
  readonly request: string
  /** Time after which the outcome is reported as unknown. */
  readonly dueMillis: number
  /** Called when the request becomes the head of the queue. */
  readonly start?: () => void
}

/** A reply that waits behind a pending request. */
interface WaitingFrame {
  readonly commandId: undefined
  readonly frame: string
  /** Id of the order or TWAP that the frame reports, or an empty string for other frames. */
  readonly orderId: string
  /** True for an event in the market's log. Frames of such events stay in log order. */
  readonly isRecorded: boolean
}

type Entry = PendingRequest | WaitingFrame

export interface ReplyQueue {
  readonly entries: Array<Entry>
  /** Number of entries with `isRecorded`. */
  recorded: number
  /** Outstanding weight of the connection, including the weight of the entries. */
  readonly outstanding: Backpressure.Outstanding
  readonly send: (frame: string) => void
  /** Called with each request that has received its last reply. */
  readonly answered: (request: PendingRequest) => void
}

/** A frame for an event in the market's log. */
export interface EventFrame {
  /** Id of the command that caused the event, or an empty string if no command did. */
  readonly commandId: string
  /** Frame to send; an empty frame only ends the command. */
  readonly frame: string
  /** True if the event is the command's final reply. */
  readonly isLast: boolean
  /** Id of the order or TWAP that the event concerns, or an empty string for other events. */
  readonly orderId: string
}

type Dependencies = Pick<ReplyQueue, "outstanding" | "send"> & Partial<Pick<ReplyQueue, "answered">>

/** Returns an empty queue for a connection that sends frames with `send`. */
export const make = ({ answered = () => {}, outstanding, send }: Dependencies): ReplyQueue => ({
  entries: [],
  recorded: 0,
  outstanding,
  send,
  answered
})

/** Appends a command that was sent to its desk. */
export const expect = (queue: ReplyQueue, pending: PendingRequest): void => push(queue, pending)

/**
 * Appends a query, and starts it when every earlier request is answered. The query has no due time in the queue,
 * because it might start late and the call that `start` makes has its own deadline.
 */
export const enqueueQuery = (
  queue: ReplyQueue,
  query: Pick<PendingRequest, "commandId" | "request"> & { readonly start: () => void }
): void => {
  push(queue, { ...query, dueMillis: Infinity })
  if (queue.entries.length === 1) query.start()
}

/** Sends the frame of a market event, or stores it until the earlier replies are sent. */
export const deliverEvent = (queue: ReplyQueue, event: EventFrame): void => {
  if (reply(queue, event, true) || event.frame === "") return
  const behind = lastRecorded(queue)
  if (behind === -1) queue.send(event.frame)
  else insert(queue, behind + 1, { commandId: undefined, frame: event.frame, orderId: event.orderId, isRecorded: true })
}

/**
 * Stores a market event's frame until the acknowledgement of its command is sent. The acknowledgement is an entry in
 * this queue.
 */
export const deliverAfterAcknowledgement = (
  queue: ReplyQueue,
  { commandId, frame, orderId }: Omit<EventFrame, "isLast">
): void => {
  const at = queue.entries.findIndex((entry) => entry.commandId === commandId)
  const behind = Math.max(at, lastRecorded(queue))
  insert(queue, behind + 1, { commandId: undefined, frame, orderId, isRecorded: true })
}

/** Sends a reply that the gateway produces itself, once every earlier request is answered. */
export const append = (queue: ReplyQueue, frame: string): void => {
  if (queue.entries.length === 0) queue.send(frame)
  else insert(queue, queue.entries.length, { commandId: undefined, frame, orderId: "", isRecorded: false })
}

/** Sends a desk's reply when the turn of its request comes, or at once if the request was given up. */
export const answer = (queue: ReplyQueue, commandId: string, frame: string): void => {
  if (!reply(queue, { commandId, frame, isLast: true, orderId: "" }, false)) queue.send(frame)
}

/** Sends or stores a reply to a pending request. Returns false if the request is not pending. */
const reply = (queue: ReplyQueue, { commandId, frame, isLast, orderId }: EventFrame, isRecorded: boolean): boolean => {
  const { entries } = queue
  if (commandId === "" || entries.length === 0) return false
  // A desk's reply usually concerns the newest command, so the search starts at the end.
  const at = entries[0]!.commandId === commandId ? 0 : entries.findLastIndex((entry) => entry.commandId === commandId)
  if (at === -1) return false
  // A market might process this command after a later one, whose frames then wait behind this command. Frames about the
  // same order precede this frame in the log, so they are sent first.
  const behind =
    orderId === "" || queue.recorded === 0
      ? -1
      : entries.findLastIndex((entry) => entry.commandId === undefined && entry.orderId === orderId)
  if (at > 0 || behind !== -1) {
    insert(queue, Math.max(at, behind + 1), { commandId: undefined, frame, orderId, isRecorded })
  } else if (frame !== "") queue.send(frame)
  if (isLast) {
    // An insertion at or before the request has increased the request's index by one.
    const entry = remove(queue, entries[at]!.commandId === commandId ? at : at + 1)
    if (entry.commandId !== undefined) queue.answered(entry)
    if (at === 0) release(queue)
  }
  return true
}

/** Gives up on overdue requests at the head of the queue. `unknown` reports each request to the client. */
export const giveUp = (queue: ReplyQueue, nowMillis: number, unknown: (request: string) => void): void => {
  while (queue.entries.length > 0) {
    const head = queue.entries[0]!
    if (head.commandId === undefined || head.dueMillis > nowMillis) return
    unknown(head.request)
    remove(queue, 0)
    release(queue)
  }
}

/** Sends the frames up to the next pending request, and starts that request if it is a query. */
const release = (queue: ReplyQueue): void => {
  const { entries } = queue
  while (entries.length > 0) {
    const head = entries[0]!
    if (head.commandId !== undefined) return head.start?.()
    remove(queue, 0)
    if (head.frame !== "") queue.send(head.frame)
  }
}

/** Returns the index of the newest waiting event frame, or -1. */
const lastRecorded = ({ entries, recorded }: ReplyQueue): number =>
  recorded === 0 ? -1 : entries.findLastIndex((entry) => entry.commandId === undefined && entry.isRecorded)

const push = (queue: ReplyQueue, pending: PendingRequest): void => {
  queue.entries.push(pending)
  queue.outstanding.weight += weightOf(pending)
}

const insert = (queue: ReplyQueue, at: number, waiting: WaitingFrame): void => {
  queue.entries.splice(at, 0, waiting)
  queue.outstanding.weight += weightOf(waiting)
  if (waiting.isRecorded) queue.recorded += 1
}

const remove = (queue: ReplyQueue, at: number): Entry => {
  const entry = at === 0 ? queue.entries.shift()! : queue.entries.splice(at, 1)[0]!
  queue.outstanding.weight -= weightOf(entry)
  if (entry.commandId === undefined && entry.isRecorded) queue.recorded -= 1
  return entry
}

const weightOf = (entry: Entry): number =>
  Backpressure.weightOf(entry.commandId === undefined ? entry.frame : entry.request)
