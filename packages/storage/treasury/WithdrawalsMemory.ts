/** In-memory withdrawals. */
import { railOf } from "@venue/domain/Rail"
import {
  accepted,
  apply,
  changeOfAccepted,
  decide,
  finalStates,
  stateBeforeReturn,
  type WithdrawalChange
} from "@venue/domain/WithdrawalSteps"
import type { TreasuryStep } from "@venue/journal/Journal"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Count from "@venue/postgres/Count"
import { type Page, pageOf } from "@venue/postgres/Page"
import { Effect, Option, Result } from "effect"
import { UserStates } from "../access/UserStates.ts"
import { VenueModes } from "../access/VenueModes.ts"
import { ReadMemory } from "../history/ReadTable.ts"
import { isBlockedIn } from "./Blocks.ts"
import { Deposits } from "./Deposits.ts"
import * as JournaledSteps from "./JournaledSteps.ts"
import type { WithdrawalStep } from "./Steps.ts"
import * as TreasuryMessages from "./TreasuryMessages.ts"
import { TreasuryFlags } from "./TreasuryFlags.ts"
import { WebhookMemory } from "./WebhookMemory.ts"
import { changes, entriesOf, letsMoneyLeave, needsBlock, stepOf, type WithdrawalStore } from "./WithdrawalSteps.ts"
import {
  maxEnding,
  type StoredPayment,
  submittedAtOnce,
  type Withdrawal,
  type WithdrawalRow,
  type WithdrawalsShape
} from "./WithdrawalTable.ts"

/** Opens the tables. Every read first applies the events that the journal has recorded. */
const open = Effect.gen(function* () {
  const { table } = yield* MemoryTables
  const memory = yield* ReadMemory
  const { mayWithdraw } = yield* VenueModes
  const blocked = isBlockedIn(yield* UserStates, yield* TreasuryFlags, yield* Deposits)
  const rows = table<WithdrawalRow>()
  const steps = table<WithdrawalStep>()
  const payments = table<StoredPayment & { readonly withdrawalId: string }>()
  const webhooks = yield* WebhookMemory

  const set = (before: WithdrawalRow, after: WithdrawalRow, change: WithdrawalChange): void => {
    rows.set(after.withdrawalId, after)
    entriesOf(after, change)?.remember(memory)
    const step = stepOf(before, after, change)
    if (step === undefined) return
    steps.set(`${step.withdrawalId} ${step.toState}`, step)
    webhooks.write(TreasuryMessages.ofWithdrawal(after, step.atMillis))
  }
  /** Stores the same data that a journal flush stores on Postgres. */
  const take = ({ event, userId }: TreasuryStep): void => {
    if (event._tag === "WithdrawalAccepted") {
      const { amount, atMillis, destination, fee, method, reasons, withdrawalId } = event
      if (rows.get(withdrawalId) !== undefined) return
      const terms = {
        userId,
        rail: railOf(method),
        method,
        amount,
        fee,
        destination,
        reasons,
        createdAtMillis: atMillis
      }
      const row: WithdrawalRow = { ...accepted(withdrawalId, atMillis), ...terms }
      const first = { withdrawalId, fromState: null, toState: row.state, step: row.step, actor: userId, atMillis }
      steps.set(`${withdrawalId} ${row.state}`, first)
      webhooks.write(TreasuryMessages.ofWithdrawal(row, atMillis))
      const change = { _tag: changeOfAccepted(event), by: userId, atMillis }
      set(row, apply(row, change), change)
    } else if (event._tag === "WithdrawalReturned") {
      const row = rows.get(event.withdrawalId)
      if (row === undefined) return
      const command = { _tag: "Return", ending: event.ending } as const
      const changes = Result.getOrElse(decide({ ...row, isBlocked: false }, command, event.atMillis), () => [])
      for (const change of changes) set(row, apply(row, change), change)
    }
  }

  const run = yield* JournaledSteps.make(take)
  const shown = (row: WithdrawalRow): Effect.Effect<Withdrawal> =>
    Effect.map(Effect.orDie(blocked(row)), (isBlocked) => ({ ...row, isBlocked }))
  const listed = (pick: () => ReadonlyArray<WithdrawalRow>) => run(Effect.suspend(() => Effect.forEach(pick(), shown)))
  const sorted = (key: (row: WithdrawalRow) => number, wanted: (row: WithdrawalRow) => boolean) =>
    rows
      .rows()
      .filter(wanted)
      .toSorted((a, b) => key(a) - key(b) || (a.withdrawalId < b.withdrawalId ? -1 : 1))
  const read = (withdrawalId: string) =>
    run(
      Effect.suspend(() => {
        const row = rows.get(withdrawalId)
        return row === undefined ? Effect.succeedNone : Effect.map(shown(row), Option.some)
      })
    )
  const write: WithdrawalStore["write"] = (before, { isBlocked: _isBlocked, ...after }, change, payment) =>
    run(
      Effect.gen(function* () {
        const { rail, version, withdrawalId } = before
        const row = rows.get(withdrawalId)
        if (row?.version !== version) return false
        if (letsMoneyLeave(change) && (!mayWithdraw() || (yield* shown(row)).isBlocked)) return false
        if (needsBlock(before, change) && !(yield* shown(row)).isBlocked) return false
        const isTaken = (other: WithdrawalRow) => other.rail === rail && other.sequence === after.sequence
        if (change._tag === "Submitted" && rows.rows().some(isTaken)) return false
        if (payment !== undefined) payments.set(`${withdrawalId} ${payment.attempt}`, { ...payment, withdrawalId })
        set(row, after, change)
        return true
      })
    )

  return { rows, steps, payments, run, listed, sorted, read, write }
})
type Store = Effect.Success<typeof open>

const ofOne = ({
  listed,
  payments,
  read,
  rows,
  run,
  sorted,
  steps
}: Store): Pick<
  WithdrawalsShape,
  "find" | "ofUser" | "countOfUser" | "countInState" | "sentTo" | "steps" | "payments"
> => ({
  find: read,
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
        const isUnsettled = all.some(({ state }) => !finalStates.includes(state))
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
        updatedAt,
        (row) => row.rail === rail && row.ending !== null && row.state === stateBeforeReturn(row.ending)
      ).slice(0, maxEnding)
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
    run(Effect.sync(() => rows.rows().some((row) => row.rail === rail && isPayable(row) && row.attempts === 0))),
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

export const make = Effect.map(open, (store): WithdrawalsShape => ({
  ...ofOne(store),
  ...waiting(store),
  ...changes(store)
}))

const rowsOf = <A>(page: Page, all: ReadonlyArray<A>): ReadonlyArray<A> => {
  const { limit, offset } = pageOf(page)
  return all.slice(offset, offset + limit)
}

const updatedAt = ({ updatedAtMillis }: { readonly updatedAtMillis: number }): number => updatedAtMillis
