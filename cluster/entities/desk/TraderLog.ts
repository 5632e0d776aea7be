/** A trader's own journal: what is to be recorded gathers in a row while the one before it is being written. */
import { type TraderEvent, traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import type { Alongside, Claimed, JournalShape } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"

export interface TraderLog {
  /** `done` is called once all that was handed in so far is committed, or with false when that will not be known. */
  readonly record: (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => void
  /** From here on nothing is recorded; whoever waits is told that it will not be known. */
  readonly close: () => void
}

interface Row {
  readonly events: Array<TraderEvent>
  readonly alongside: Array<Alongside>
  readonly dones: Array<(committed: boolean) => void>
}

export const make = (
  userId: UserId,
  from: Claimed,
  journal: JournalShape,
  /** A row is committed; the journal has another owner. */
  on: { readonly recorded: () => void; readonly lost: () => void }
): TraderLog => {
  let next = emptyRow()
  const writing: Array<Row> = []
  const appender = journal.append(
    {
      stream: traderStream(userId),
      collect: () => {
        if (next.events.length === 0) return undefined
        const { alongside, events } = next
        writing.push(next)
        next = emptyRow()
        return { events: TraderRecord.encode(events), alongside }
      },
      committed: () => {
        const { dones } = writing.shift()!
        on.recorded()
        for (const done of dones) done(true)
      },
      lost: on.lost
    },
    from
  )
  return {
    record: (events, done) => {
      for (const event of events) {
        next.events.push(event)
        const entry = wakeUpOf(userId, event)
        if (entry !== undefined) next.alongside.push(entry)
      }
      const row = next.events.length > 0 ? next : writing.at(-1)
      if (row === undefined) return done(true)
      row.dones.push(done)
      if (row === next) appender.wake()
    },
    close: () => {
      appender.close()
      const dones = [...writing.splice(0), next].flatMap((row) => row.dones)
      next = emptyRow()
      for (const done of dones) done(false)
    }
  }
}

const emptyRow = (): Row => ({ events: [], alongside: [], dones: [] })

/** What must wake this trader after a restart, though nobody asks for it. */
function wakeUpOf(userId: UserId, event: TraderEvent): Alongside | undefined {
  switch (event._tag) {
    case "Joined":
      return { _tag: "WakeUp", userId, reason: "joined", detail: event.symbol }
    case "Armed":
      return { _tag: "WakeUp", userId, reason: "armed", detail: event.connectionId }
    case "Disarmed":
      return { _tag: "WakeUpEnded", userId, reason: "armed", detail: event.connectionId }
    case "TwapAccepted":
      return { _tag: "WakeUp", userId, reason: "twap", detail: event.terms.twapId }
    case "TwapForgotten":
      return { _tag: "WakeUpEnded", userId, reason: "twap", detail: event.twapId }
    default:
      return undefined
  }
}
