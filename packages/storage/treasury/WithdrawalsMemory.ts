/** Withdrawals where there is no database. */
import { railOf } from "@venue/domain/Rail"
import { stateOfAccepted, withdrawalEdges, type WithdrawalState } from "@venue/domain/Withdrawal"
import type { TreasuryStep } from "@venue/journal/Journal"
import { stateBeforeReturn } from "@venue/journal/JournalTreasury"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Count from "@venue/postgres/Count"
import { type Page, pageOf } from "@venue/postgres/Page"
import { Clock, Effect, Option } from "effect"
import { UserStates } from "../access/UserStates.ts"
import { VenueModes } from "../access/VenueModes.ts"
import * as LedgerEntries from "../history/LedgerEntries.ts"
import { ReadMemory } from "../history/ReadTable.ts"
import { isBlockedIn } from "./Blocks.ts"
import { Deposits } from "./Deposits.ts"
import * as JournaledSteps from "./JournaledSteps.ts"
import { railActor, type WithdrawalStep } from "./Steps.ts"
import * as TreasuryMessages from "./TreasuryMessages.ts"
import { TreasuryFlags } from "./TreasuryFlags.ts"
import { WebhookMemory } from "./WebhookMemory.ts"
import {
  type StoredPayment,
  submittedAtOnce,
  type Withdrawal,
  type WithdrawalRow,
  type WithdrawalsShape
} from "./WithdrawalTable.ts"

/** The rows, with what the journal has said of them. */
const open = Effect.gen(function* () {
  const { table } = yield* MemoryTables
  const memory = yield* ReadMemory
  const { mayWithdraw } = yield* VenueModes
  const blocked = isBlockedIn(yield* UserStates, yield* TreasuryFlags, yield* Deposits)
  const rows = table<WithdrawalRow>()
  const steps = table<WithdrawalStep>()
  const payments = table<StoredPayment & { readonly withdrawalId: string }>()
  const webhooks = yield* WebhookMemory

  const step = (
    row: WithdrawalRow,
    toState: WithdrawalState,
    actor: string,
    atMillis: number,
    change: Partial<WithdrawalRow> = {}
  ): void => {
    const { state: fromState, withdrawalId } = row
    if (!withdrawalEdges.some(([from, to]) => from === fromState && to === toState)) {
      throw new Error(`a withdrawal never goes from ${fromState} to ${toState}`)
    }
    const next = row.step + 1
    steps.set(`${withdrawalId} ${toState}`, { withdrawalId, fromState, toState, step: next, actor, atMillis })
    const moved = { ...row, ...change, state: toState, step: next, updatedAtMillis: atMillis }
    rows.set(withdrawalId, moved)
    // It leaves the state in which it begins at once.
    if (fromState === "ACCEPTED") webhooks.tell(TreasuryMessages.ofWithdrawal(row, atMillis))
    webhooks.tell(TreasuryMessages.ofWithdrawal(moved, atMillis))
  }

  const run = yield* JournaledSteps.make((journaled) => take(journaled, rows, steps, step))
  const shown = (row: WithdrawalRow): Effect.Effect<Withdrawal> =>
    Effect.map(Effect.orDie(blocked(row)), (isBlocked) => ({ ...row, isBlocked }))
  const listed = (pick: () => ReadonlyArray<WithdrawalRow>) => run(Effect.suspend(() => Effect.forEach(pick(), shown)))
  const sorted = (key: (row: WithdrawalRow) => number, wanted: (row: WithdrawalRow) => boolean) =>
    rows
      .rows()
      .filter(wanted)
      .toSorted((a, b) => key(a) - key(b) || (a.withdrawalId < b.withdrawalId ? -1 : 1))
  /** Does it where the row stands so. */
  const when = (
    withdrawalId: string,
    stands: (row: Withdrawal) => boolean,
    work: (row: WithdrawalRow, atMillis: number) => void
  ) =>
    run(
      Effect.gen(function* () {
        const row = rows.get(withdrawalId)
        if (row === undefined || !stands(yield* shown(row))) return false
        work(row, yield* Clock.currentTimeMillis)
        return true
      })
    )

  return { mayWithdraw, memory, rows, steps, payments, step, run, shown, listed, sorted, when }
})
type Store = Effect.Success<typeof open>

const take = (
  { event, userId }: TreasuryStep,
  rows: Store["rows"],
  steps: Store["steps"],
  step: Store["step"]
): void => {
  if (event._tag === "WithdrawalAccepted") {
    const { amount, atMillis, destination, fee, method, reasons, withdrawalId } = event
    if (rows.get(withdrawalId) !== undefined) return
    const first = { withdrawalId, fromState: null, toState: "ACCEPTED", step: 1, actor: userId, atMillis } as const
    steps.set(`${withdrawalId} ACCEPTED`, first)
    const state = stateOfAccepted(event)
    const accepted: WithdrawalRow = {
      withdrawalId,
      userId,
      rail: railOf(method),
      method,
      amount,
      fee,
      destination,
      reasons,
      state: "ACCEPTED",
      step: 1,
      createdAtMillis: atMillis,
      updatedAtMillis: atMillis,
      queuedAtMillis: state === "QUEUED" ? atMillis : null,
      ending: null,
      endedBy: null,
      reason: null,
      reference: null,
      sequence: null,
      refusedAtMillis: null,
      refusal: null,
      cancelledBy: null,
      cancelReason: null
    }
    return step(accepted, state, userId, atMillis)
  }
  if (event._tag !== "WithdrawalReturned") return
  const { atMillis, ending, withdrawalId } = event
  const row = rows.get(withdrawalId)
  if (row === undefined || row.state !== stateBeforeReturn(ending) || row.ending !== ending) return
  step(row, ending, row.endedBy!, atMillis)
}

const ofOne = ({
  listed,
  payments,
  rows,
  run,
  shown,
  sorted,
  steps
}: Store): Pick<
  WithdrawalsShape,
  "find" | "ofUser" | "countOfUser" | "countInState" | "sentTo" | "steps" | "payments"
> => ({
  find: (withdrawalId) =>
    run(
      Effect.suspend(() => {
        const row = rows.get(withdrawalId)
        return row === undefined ? Effect.succeedNone : Effect.map(shown(row), Option.some)
      })
    ),
  countOfUser: (userId) => run(Effect.sync(() => Count.ofMemory(rows.rows().filter((row) => row.userId === userId)))),
  countInState: (state) => run(Effect.sync(() => Count.ofMemory(rows.rows().filter((row) => row.state === state)))),
  ofUser: (userId, page) =>
    listed(() =>
      rowsOf(
        page,
        sorted(
          ({ createdAtMillis }) => createdAtMillis,
          (row) => row.userId === userId
        ).toReversed()
      )
    ),
  sentTo: (userId, destination) =>
    run(
      Effect.sync(() => {
        const all = rows.rows().filter((row) => row.userId === userId && row.destination === destination)
        const isUnsettled = all.some(({ state }) => state !== "SETTLED" && state !== "REJECTED" && state !== "FAILED")
        const times = all.map(({ createdAtMillis }) => createdAtMillis)
        return { firstAtMillis: times.length === 0 ? null : Math.min(...times), isUnsettled }
      })
    ),
  steps: (withdrawalId) =>
    run(
      Effect.sync(() =>
        steps
          .rows()
          .filter((row) => row.withdrawalId === withdrawalId)
          .toSorted((a, b) => a.step - b.step)
      )
    ),
  payments: (withdrawalId) =>
    run(
      Effect.sync(() =>
        payments
          .rows()
          .filter((payment) => payment.withdrawalId === withdrawalId)
          .toSorted((a, b) => a.attempt - b.attempt)
          .map(({ withdrawalId: _of, ...payment }) => payment)
      )
    )
})

const waiting = ({
  listed,
  payments,
  rows,
  run,
  sorted
}: Store): Pick<
  WithdrawalsShape,
  "inState" | "queued" | "submitted" | "ending" | "sequences" | "promised" | "hasUnsigned" | "refused"
> => ({
  inState: (state, page) =>
    listed(() => {
      const inState = sorted(updatedAt, (row) => row.state === state)
      return rowsOf(page, inState)
    }),
  queued: (rail, limit) =>
    Effect.map(
      listed(() =>
        sorted(
          ({ queuedAtMillis }) => queuedAtMillis!,
          (row) => row.rail === rail && row.state === "QUEUED"
        ).toSorted((a, b) => turnOf(a) - turnOf(b))
      ),
      (all) => all.filter(({ cancelledBy, isBlocked }) => cancelledBy !== null || !isBlocked).slice(0, limit)
    ),
  submitted: (rail, after) =>
    listed(() =>
      sorted(
        ({ sequence }) => sequence!,
        (row) => row.rail === rail && isPayable(row) && row.sequence! > after
      ).slice(0, submittedAtOnce)
    ),
  ending: (rail) =>
    listed(() =>
      sorted(
        ({ updatedAtMillis }) => updatedAtMillis,
        (row) =>
          row.rail === rail && row.ending !== null && (row.state === "HELD_FOR_REVIEW" || row.state === "SUBMITTED")
      )
    ),
  sequences: (rail) =>
    run(
      Effect.sync(() => {
        const used = rows.rows().filter((row) => row.rail === rail && row.sequence !== null)
        const next = Math.max(-1, ...used.map(({ sequence }) => sequence!)) + 1
        return { next, open: Math.min(next, ...used.filter(isPayable).map(({ sequence }) => sequence!)) }
      })
    ),
  promised: (rail, fromSequence) =>
    run(
      Effect.sync(() => {
        const paying = new Set(
          payments.rows().flatMap(({ purpose, withdrawalId }) => (purpose === "pay" ? [withdrawalId] : []))
        )
        return rows
          .rows()
          .filter((row) => row.rail === rail && isPayable(row) && row.sequence! >= fromSequence)
          .filter(({ cancelledBy, withdrawalId }) => cancelledBy === null || paying.has(withdrawalId))
          .reduce((sum, { amount, fee }) => sum + amount - fee, 0n)
      })
    ),
  hasUnsigned: (rail) =>
    run(
      Effect.sync(() => {
        const signed = new Set(payments.rows().map(({ withdrawalId }) => withdrawalId))
        return rows.rows().some((row) => row.rail === rail && isPayable(row) && !signed.has(row.withdrawalId))
      })
    ),
  refused: (limit) =>
    listed(() =>
      sorted(
        ({ refusedAtMillis }) => refusedAtMillis!,
        (row) => row.refusedAtMillis !== null && (row.state === "QUEUED" || isPayable(row))
      ).slice(0, limit)
    )
})

const turnOf = ({ cancelledBy, refusedAtMillis }: WithdrawalRow): number =>
  cancelledBy !== null ? 0 : refusedAtMillis === null ? 1 : 2

const isPayable = ({ ending, state }: WithdrawalRow): boolean => state === "SUBMITTED" && ending === null

/** It is refused by its rail, or would stay QUEUED as its user or address is frozen. */
const waitsInQueue = ({ refusedAtMillis, state }: WithdrawalRow, isBlocked: boolean): boolean =>
  state === "QUEUED" && (refusedAtMillis !== null || isBlocked)

const moves = ({
  mayWithdraw,
  memory,
  payments,
  rows,
  run,
  step,
  when
}: Store): Pick<WithdrawalsShape, "approve" | "submit" | "attempt" | "refuse" | "cancel" | "settle" | "end"> => ({
  approve: (withdrawalId, actor) =>
    when(
      withdrawalId,
      ({ ending, state }) => state === "HELD_FOR_REVIEW" && ending === null,
      (row, atMillis) => step(row, "QUEUED", actor, atMillis, { queuedAtMillis: atMillis })
    ),
  submit: ({ cancelledBy, rail, withdrawalId }, sequence) =>
    when(
      withdrawalId,
      (row) =>
        row.state === "QUEUED" &&
        row.ending === null &&
        (cancelledBy === null
          ? row.cancelledBy === null && mayWithdraw() && !row.isBlocked
          : row.cancelledBy !== null) &&
        rows.rows().every((other) => other.rail !== rail || other.sequence !== sequence),
      (row, atMillis) =>
        step(row, "SUBMITTED", railActor(rail), atMillis, { sequence, refusedAtMillis: null, refusal: null })
    ),
  attempt: (withdrawalId, payment) =>
    when(
      withdrawalId,
      (row) =>
        isPayable(row) &&
        payments.get(`${withdrawalId} ${payment.attempt}`) === undefined &&
        (row.cancelledBy === null || payment.purpose === "cancel"),
      (row) => {
        const reference = payment.purpose === "cancel" ? row.reference : payment.reference
        payments.set(`${withdrawalId} ${payment.attempt}`, { ...payment, withdrawalId })
        rows.set(withdrawalId, { ...row, reference, refusedAtMillis: null, refusal: null })
      }
    ),
  refuse: (withdrawalId, refusal) =>
    run(
      Effect.map(Clock.currentTimeMillis, (atMillis) => {
        const row = rows.get(withdrawalId)
        if (row === undefined || !(row.state === "QUEUED" || isPayable(row))) return false
        const refusedAtMillis = row.refusedAtMillis ?? atMillis
        const queuedAtMillis = row.state === "QUEUED" ? atMillis : row.queuedAtMillis
        rows.set(withdrawalId, { ...row, refusedAtMillis, refusal, queuedAtMillis })
        return row.refusal !== refusal
      })
    ),
  cancel: (withdrawalId, { by, reason }) =>
    when(
      withdrawalId,
      (row) => (isPayable(row) || waitsInQueue(row, row.isBlocked)) && row.cancelledBy === null,
      (row) => rows.set(withdrawalId, { ...row, cancelledBy: by, cancelReason: reason })
    ),
  settle: ({ rail, step: known, withdrawalId }, reference) =>
    when(
      withdrawalId,
      ({ ending, state, step: at }) => state === "SUBMITTED" && ending === null && at === known,
      (row, atMillis) => {
        LedgerEntries.paidOut(row, known + 1, atMillis).remember(memory)
        step(row, "SETTLED", railActor(rail), atMillis, { reference })
      }
    ),
  end: (withdrawalId, { by, ending, reason, reference }) =>
    when(
      withdrawalId,
      (row) => row.state === stateBeforeReturn(ending) && row.ending === null,
      (row) => rows.set(withdrawalId, { ...row, ending, endedBy: by, reason, reference: reference ?? row.reference })
    )
})

export const make = Effect.map(open, (store): WithdrawalsShape => ({
  ...ofOne(store),
  ...waiting(store),
  ...moves(store)
}))

const rowsOf = <A>(page: Page, all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const { limit, offset } = pageOf(page)
  return all.slice(offset, offset + limit)
}

const updatedAt = ({ updatedAtMillis }: { readonly updatedAtMillis: number }): number => updatedAtMillis
