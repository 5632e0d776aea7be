/** In-memory deposits. */
import { apply, decide, type DepositChange, type DepositCommand } from "@venue/domain/DepositSteps"
import type { TreasuryStep } from "@venue/journal/Journal"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Count from "@venue/postgres/Count"
import { pageOf } from "@venue/postgres/Page"
import { Clock, Effect, Option, Result } from "effect"
import { changes, type DepositStore, entriesOf, firstStep, releasesSuspense, stepOf } from "./DepositSteps.ts"
import { type Deposit, type DepositsShape, isDue, isUnmatched } from "./DepositTable.ts"
import { ReadMemory } from "../history/ReadTable.ts"
import * as JournaledSteps from "./JournaledSteps.ts"
import type { DepositStep } from "./Steps.ts"
import * as Suspense from "./Suspense.ts"
import * as TreasuryMessages from "./TreasuryMessages.ts"
import { WebhookMemory } from "./WebhookMemory.ts"

/** Opens the tables. Every read first applies the events that the journal has recorded. */
const open = Effect.gen(function* () {
  const { table } = yield* MemoryTables
  const memory = yield* ReadMemory
  const rows = table<Deposit>()
  const steps = table<DepositStep>()
  const webhooks = yield* WebhookMemory

  const set = (before: Deposit, after: Deposit, change: DepositChange): void => {
    // `checkedAtMillis` is not part of the change, because `due` might have stored a newer time since `before` was
    // read.
    const { checkedAtMillis } = rows.get(after.depositId) ?? after
    rows.set(after.depositId, { ...after, checkedAtMillis })
    if (releasesSuspense(change)) Suspense.releaseIn(memory, after, change.atMillis)
    entriesOf(after, change)?.remember(memory)
    const step = stepOf(before, after, change)
    if (step === undefined) return
    steps.set(`${step.depositId} ${step.step}`, step)
    const message = TreasuryMessages.ofDeposit(after, step.atMillis)
    if (message !== undefined) webhooks.write(message)
  }
  /** Stores the same data that a journal flush stores on Postgres. */
  const take = ({ event }: TreasuryStep): void => {
    if (event._tag !== "Deposited" && event._tag !== "DepositReversed") return
    const row = rows.get(event.depositId)
    if (row === undefined) return
    const command: DepositCommand =
      event._tag === "Deposited" ? { _tag: "Credit" } : { _tag: "Reverse", reason: event.reason }
    const changes = Result.getOrElse(decide(row, command, event.atMillis), () => [])
    for (const change of changes) set(row, apply(row, change), change)
  }

  const run = yield* JournaledSteps.make(take)
  const read = (depositId: string) => run(Effect.sync(() => Option.fromUndefinedOr(rows.get(depositId))))
  const write: DepositStore["write"] = (before, after, change) =>
    run(
      Effect.sync(() => {
        const isSame = rows.get(before.depositId)?.version === before.version
        if (isSame) set(before, after, change)
        return isSame
      })
    )
  const insert: DepositStore["insert"] = (deposit) =>
    run(
      Effect.sync(() => {
        const { depositId, detectedAtMillis } = deposit
        if (rows.get(depositId) !== undefined) return
        rows.set(depositId, deposit)
        steps.set(`${depositId} ${deposit.step}`, firstStep(deposit))
        if (Suspense.isSuspended(deposit)) Suspense.held(deposit, detectedAtMillis).remember(memory)
      })
    )
  const oldestFirst = (wanted: (row: Deposit) => boolean) =>
    rows
      .rows()
      .filter(wanted)
      .toSorted((a, b) => a.detectedAtMillis - b.detectedAtMillis || (a.depositId < b.depositId ? -1 : 1))
  const isShown = (userId: string) => (row: Deposit) => row.userId === userId && row.state !== "DROPPED"

  return { rows, steps, run, read, write, insert, oldestFirst, isShown }
})
type Store = Effect.Success<typeof open>

const queries = ({
  isShown,
  oldestFirst,
  read,
  rows,
  run,
  steps
}: Store): Pick<
  DepositsShape,
  "find" | "ofUser" | "countOfUser" | "unmatched" | "countUnmatched" | "due" | "steps" | "addresses" | "isMissing"
> => ({
  find: read,
  ofUser: (userId, page) => {
    const { limit, offset } = pageOf(page)
    return run(
      Effect.sync(() =>
        oldestFirst(isShown(userId))
          .toReversed()
          .slice(offset, offset + limit)
      )
    )
  },
  countOfUser: (userId) => run(Effect.sync(() => Count.ofMemory(oldestFirst(isShown(userId))))),
  countUnmatched: run(Effect.sync(() => Count.ofMemory(oldestFirst(isUnmatched)))),
  unmatched: (page) => {
    const { limit, offset } = pageOf(page)
    return run(Effect.sync(() => oldestFirst(isUnmatched).slice(offset, offset + limit)))
  },
  due: (rail, limit) =>
    run(
      Effect.map(Clock.currentTimeMillis, (checkedAtMillis) => {
        const due = oldestFirst((row) => row.rail === rail && isDue(row))
          .toSorted((a, b) => a.checkedAtMillis - b.checkedAtMillis || (a.depositId < b.depositId ? -1 : 1))
          .slice(0, limit)
        for (const row of due) rows.set(row.depositId, { ...row, checkedAtMillis })
        const taken = new Set(due.map(({ depositId }) => depositId))
        return oldestFirst(({ depositId }) => taken.has(depositId))
      })
    ),
  steps: (depositId) =>
    run(
      Effect.sync(() =>
        steps
          .rows()
          .filter((row) => row.depositId === depositId)
          .toSorted((a, b) => a.step - b.step)
      )
    ),
  addresses: (rail) =>
    run(Effect.sync(() => [...new Set(oldestFirst((row) => row.rail === rail).map(({ address }) => address))])),
  isMissing: (userId) =>
    run(
      Effect.sync(() =>
        rows.rows().some((row) => row.userId === userId && row.state === "CREDITED" && row.goneSinceMillis !== null)
      )
    )
})

export const make = Effect.map(open, (store): DepositsShape => ({
  ...queries(store),
  ...changes(store)
}))
