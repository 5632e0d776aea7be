/**
 * The answers one connection still owes on one symbol. Facts come in the order of the log, which is the order of the
 * commands; what a desk answers by itself comes when it comes, and waits here for its place.
 */

/** A command without an answer yet, or text that waits behind one. */
type Entry =
  | {
    readonly commandId: string
    /** The frame it came as, for the error that may be its answer. */
    readonly request: string
    readonly dueMillis: number
    readonly start?: () => void
  }
  | { readonly commandId: undefined; readonly text: string }

export interface Lane {
  readonly entries: Array<Entry>
}

export const make = (): Lane => ({ entries: [] })

/** A command went out; its answer is due at that time, or its outcome is unknown. */
export const expect = (lane: Lane, commandId: string, request: string, dueMillis: number): void => {
  lane.entries.push({ commandId, request, dueMillis })
}

/**
 * Something to be asked once everything before it is answered: at once when nothing is owed. It is never given up here:
 * it may begin late, and whoever is asked has a deadline.
 */
export const ask = (lane: Lane, commandId: string, request: string, start: () => void): void => {
  lane.entries.push({ commandId, request, dueMillis: Infinity, start })
  if (lane.entries.length === 1) start()
}

/**
 * Text about a command, or about none of this connection's. It is sent, or takes its place. `last`: the command is
 * answered by it.
 */
export const tell = (
  lane: Lane,
  commandId: string,
  text: string,
  last: boolean,
  send: (text: string) => void
): void => {
  const { entries } = lane
  const head = entries[0]
  if (head === undefined) return text === "" ? undefined : send(text)
  if (head.commandId === commandId) {
    if (text !== "") send(text)
    if (last) {
      entries.shift()
      if (entries.length > 0) release(lane, send)
    }
    return
  }
  // What a desk answers by itself is most often about the newest command.
  const at = commandId === "" ? -1 : entries.findLastIndex((entry) => entry.commandId === commandId)
  if (at > 0) {
    entries.splice(at, last ? 1 : 0, { commandId: undefined, text })
  } else {
    const behind = entries.findLastIndex((entry) => entry.commandId === undefined)
    if (behind !== -1) entries.splice(behind + 1, 0, { commandId: undefined, text })
    else if (text !== "") send(text)
  }
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
    lane.entries.shift()
    release(lane, send)
  }
}

/** Sends what waited behind the head, and starts the question that has become the head. */
const release = (lane: Lane, send: (text: string) => void): void => {
  const { entries } = lane
  while (entries.length > 0) {
    const head = entries[0]!
    if (head.commandId !== undefined) return head.start?.()
    entries.shift()
    if (head.text !== "") send(head.text)
  }
}
