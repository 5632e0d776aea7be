/** A trader's own journal: what is to be recorded gathers in a row while the one before it is being written. */
import { isOn } from "@venue/domain/DeadManSwitch"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { type Credited, type TraderEvent, traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import type { Alongside, AuditedDeed, Claimed, JournalShape, TreasuryStep, WakeUpChange } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"

export interface TraderLog {
  /** `done` is called once all that was handed in so far is committed, or with false when that will not be known. */
  readonly record: (events: ReadonlyArray<TraderEvent>, done: (committed: boolean) => void) => void
  /** Its newest row with events that is committed. */
  readonly committedSeq: () => number
  /** All that was handed in is committed. */
  readonly isAllCommitted: () => boolean
  /** The tables have its rows up to `seq`. True when an entry says otherwise, of these or of none: it is to go. */
  readonly projected: (seq: number) => boolean
  /** From here on nothing is recorded; whoever waits is told that it will not be known. */
  readonly close: () => void
}

interface Row {
  readonly events: Array<TraderEvent>
  readonly alongside: Array<Alongside>
  readonly dones: Array<(committed: boolean) => void>
}

/** Whose log it is, and what is known of it. */
export interface Owned {
  readonly userId: UserId
  readonly desk: string
  readonly from: Claimed
  /** Its newest row with events. */
  readonly writtenSeq: number
  /** An entry says that not all of them are in the tables. */
  readonly isUnprojected: boolean
}

export const make = (
  { desk, from, userId, ...owned }: Owned,
  journal: JournalShape,
  /** A row is committed; the journal has another owner. */
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
        // One entry stands for all rows until the tables have them.
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
        const along = alongsideOf(event, userId, desk)
        if (along !== undefined) next.alongside.push(along)
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

/** What an event is told by elsewhere, in the same instant. */
function alongsideOf(event: TraderEvent, userId: UserId, desk: string): Alongside | undefined {
  if (event._tag === "AccountOpened") return { _tag: "AccountRow", userId, accountId: event.accountId }
  if (event._tag === "Credited") return deedOf(event, userId)
  if (event._tag === "Referred") return { _tag: "RedeemedCode", userId, code: event.code }
  if (isOfTreasury(event)) return { _tag: "TreasuryStep", userId, event }
  const entry = wakeUpOf(event)
  return entry === undefined ? undefined : { userId, desk, ...entry }
}

/** A credit of an operator, who is named; tests and demonstrations credit without one. */
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

/** What must wake its trader after a restart, though nobody asks for it. */
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
