/** Writes a trader's journal. While earlier rows are in flight, new events collect in the next row. */
import { isOn } from "@venue/domain/DeadManSwitch"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Credited, type TraderEvent, traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import type { Alongside, AuditedDeed, Claimed, JournalShape, TreasuryStep, WakeUpChange } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"

export interface TraderLog {
  /** Adds events. Calls `done` with true once all earlier events are committed, or with false if the outcome is unknown. */
  readonly record: (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => void
  /** Returns the sequence number of the newest committed row that contains events. */
  readonly committedSeq: () => number
  readonly isAllCommitted: () => boolean
  /**
   * Records that the tables for queries contain the rows up to `seq`. Returns whether to delete the `unprojected`
   * entry.
   */
  readonly projected: (seq: number) => boolean
  /** Stops recording and calls back the waiters with an unknown outcome. */
  readonly close: () => void
}

interface Row {
  readonly events: Array<TraderEvent>
  readonly alongside: Array<Alongside>
  readonly dones: Array<(committed: boolean) => void>
}

/** A claimed trader journal. */
export interface Owned {
  readonly userId: UserId
  readonly desk: string
  readonly from: Claimed
  /** Sequence number of the newest row with events. */
  readonly writtenSeq: number
  /** Whether a wake-up entry states that the tables for queries lack rows. */
  readonly isUnprojected: boolean
}

export const make = (
  { desk, from, userId, ...owned }: Owned,
  journal: JournalShape,
  /** `recorded` is called when a row is committed, and `lost` when another owner has claimed the journal. */
  on: { readonly recorded: (seq: number) => void; readonly lost: () => void }
): TraderLog => {
  let lastSeq = from.seq
  let { isUnprojected, writtenSeq } = owned
  let committedSeq = writtenSeq
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
        writtenSeq = ++lastSeq
        // One wake-up entry covers all rows that are not in the tables yet.
        if (!isUnprojected)
          alongside.push({ _tag: "WakeUp", userId, desk, reason: "unprojected", detail: String(writtenSeq) })
        isUnprojected = true
        return { events: TraderRecord.encode(events), alongside }
      },
      committed: (seq) => {
        const { dones } = writing.shift()!
        committedSeq = seq
        on.recorded(seq)
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
        const write = writeOf(event, userId, desk)
        if (write !== undefined) next.alongside.push(write)
      }
      const row = next.events.length > 0 ? next : writing.at(-1)
      if (row === undefined) return done(true)
      row.dones.push(done)
      if (row === next) appender.wake()
    },
    committedSeq: () => committedSeq,
    isAllCommitted: () => next.events.length === 0 && writing.length === 0,
    projected: (seq) => {
      if (seq < writtenSeq || !isUnprojected) return false
      isUnprojected = false
      return true
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

/** Returns the write to another table that is committed with the event, or undefined. */
function writeOf(event: TraderEvent, userId: UserId, desk: string): Alongside | undefined {
  if (event._tag === "AccountOpened") return { _tag: "AccountRow", userId, accountId: event.accountId }
  if (event._tag === "Credited") return deedOf(event, userId)
  if (event._tag === "Referred") return { _tag: "RedeemedCode", userId, code: event.code }
  if (isOfTreasury(event)) return { _tag: "TreasuryStep", userId, event }
  const entry = wakeUpOf(event)
  return entry === undefined ? undefined : { userId, desk, ...entry }
}

/** Returns the audit entry for an operator's credit, or undefined for credits by tests and demonstrations. */
function deedOf(
  { accountId, amount, atMillis, by, creditId, reason }: Credited,
  userId: UserId
): AuditedDeed | undefined {
  if (by === undefined) return undefined
  const facts = { creditId, accountId, amount: decimalOfMoney(amount), reason }
  return { _tag: "AuditedDeed", action: "credited", actor: by, subject: userId, facts, atMillis }
}

const isOfTreasury = (event: TraderEvent): event is TreasuryStep["event"] =>
  event._tag === "Deposited" ||
  event._tag === "DepositReversed" ||
  event._tag === "WithdrawalAccepted" ||
  event._tag === "WithdrawalReturned"

/** Returns the wake-up entry that an event adds or removes. A trader with an entry is loaded after a restart. */
function wakeUpOf(event: TraderEvent): Pick<WakeUpChange, "_tag" | "reason" | "detail"> | undefined {
  switch (event._tag) {
    case "Joined":
      return { _tag: "WakeUp", reason: "joined", detail: event.symbol }
    case "Left":
      return { _tag: "WakeUpEnded", reason: "joined", detail: event.symbol }
    case "Armed":
      return { _tag: "WakeUp", reason: "armed", detail: event.connectionId }
    case "Disarmed":
      return { _tag: "WakeUpEnded", reason: "armed", detail: event.connectionId }
    case "DeadManSwitchSet":
      return { _tag: isOn(event) ? "WakeUp" : "WakeUpEnded", reason: "switch", detail: event.accountId }
    case "TwapAccepted":
      return { _tag: "WakeUp", reason: "twap", detail: event.terms.twapId }
    case "TwapForgotten":
      return { _tag: "WakeUpEnded", reason: "twap", detail: event.twapId }
    default:
      return undefined
  }
}
