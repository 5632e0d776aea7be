/** Deposits where there is no database. */
import { depositEdges, depositIdOf, type DepositState } from "@venue/domain/Deposit"
import type { TreasuryStep } from "@venue/journal/Journal"
import { MemoryTables } from "@venue/postgres/MemoryTables"
import * as Count from "@venue/postgres/Count"
import { pageOf } from "@venue/postgres/Page"
import { Clock, Effect, Option } from "effect"
import {
  cameAgain,
  type Deposit,
  type DepositsShape,
  detected,
  isDue,
  isNobodys,
  isUnmatched,
  venuesOwn
} from "./DepositTable.ts"
import { ReadMemory } from "../history/ReadTable.ts"
import * as JournaledSteps from "./JournaledSteps.ts"
import { type DepositStep, railActor } from "./Steps.ts"
import * as OwnMoney from "./OwnMoney.ts"
import * as Suspense from "./Suspense.ts"
import * as TreasuryMessages from "./TreasuryMessages.ts"
import { WebhookMemory } from "./WebhookMemory.ts"

/** The rows, with what the journal has said of them. */
const open = Effect.gen(function* () {
  const { table } = yield* MemoryTables
  const memory = yield* ReadMemory
  const rows = table<Deposit>()
  const steps = table<DepositStep>()
  const webhooks = yield* WebhookMemory

  const step = (row: Deposit, toState: DepositState, atMillis: number, change: Partial<Deposit> = {}): void => {
    const { depositId, rail, state: fromState } = row
    if (!depositEdges.some(([from, to]) => from === fromState && to === toState)) {
      throw new Error(`a deposit never goes from ${fromState} to ${toState}`)
    }
    const next = row.step + 1
    const actor = railActor(rail)
    steps.set(`${depositId} ${next}`, { depositId, fromState, toState, step: next, actor, atMillis })
    const moved = { ...row, ...change, state: toState, step: next, updatedAtMillis: atMillis }
    rows.set(depositId, moved)
    const message = TreasuryMessages.ofDeposit(moved, atMillis)
    if (message !== undefined) webhooks.tell(message)
  }

  const take = ({ event }: TreasuryStep): void => {
    if (event._tag !== "Deposited" && event._tag !== "DepositReversed") return
    const row = rows.get(event.depositId)
    const { atMillis } = event
    if (event._tag === "Deposited") {
      if (row?.state === "CONFIRMED") step(row, "CREDITED", atMillis, { creditedAtMillis: atMillis })
    } else if (row?.state === "CREDITED") step(row, "REVERSED", atMillis, { reason: event.reason })
  }

  const run = yield* JournaledSteps.make(take)
  /** Does it where the row stands so. */
  const when = (depositId: string, stands: (row: Deposit) => boolean, work: (row: Deposit, atMillis: number) => void) =>
    run(
      Effect.map(Clock.currentTimeMillis, (atMillis) => {
        const row = rows.get(depositId)
        if (row === undefined || !stands(row)) return false
        work(row, atMillis)
        return true
      })
    )
  const set = (depositId: string, stands: (row: Deposit) => boolean, change: (at: number) => Partial<Deposit>) =>
    when(depositId, stands, (row, atMillis) => rows.set(depositId, { ...row, ...change(atMillis) }))
  const move = (depositId: string, from: ReadonlyArray<DepositState>, to: DepositState, reason: string | null) =>
    when(
      depositId,
      ({ offeredAtMillis, state }) => from.includes(state) && offeredAtMillis === null,
      (row, atMillis) => {
        step(row, to, atMillis, { reason })
        if (to === "DROPPED") Suspense.releaseIn(memory, row, atMillis)
      }
    )
  const oldestFirst = (wanted: (row: Deposit) => boolean) =>
    rows
      .rows()
      .filter(wanted)
      .toSorted((a, b) => a.detectedAtMillis - b.detectedAtMillis || (a.depositId < b.depositId ? -1 : 1))
  const isShown = (userId: string) => (row: Deposit) => row.userId === userId && row.state !== "DROPPED"

  return { memory, rows, steps, step, run, when, set, move, oldestFirst, isShown }
})
type Store = Effect.Success<typeof open>

const queries = ({
  isShown,
  oldestFirst,
  rows,
  run,
  steps
}: Store): Pick<
  DepositsShape,
  "find" | "ofUser" | "countOfUser" | "unmatched" | "countUnmatched" | "due" | "steps" | "addresses" | "isMissing"
> => ({
  find: (depositId) => run(Effect.sync(() => Option.fromUndefinedOr(rows.get(depositId)))),
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

const detect = ({ memory, rows, run, step, steps }: Store): Pick<DepositsShape, "detect"> => ({
  detect: ({ block, ...seen }) =>
    run(
      Effect.map(Clock.currentTimeMillis, (atMillis) => {
        const depositId = depositIdOf(seen.rail, seen.txHash, seen.logIndex)
        const row = rows.get(depositId)
        if (row === undefined) {
          const first = { fromState: null, toState: "DETECTED", step: 1, actor: railActor(seen.rail) } as const
          steps.set(`${depositId} 1`, { depositId, ...first, atMillis })
          const noted = detected(seen, block, atMillis)
          if (Suspense.isSuspended(noted)) Suspense.held(noted, atMillis).remember(memory)
          return rows.set(depositId, noted)
        }
        const where = { blockNumber: block?.number ?? null, blockHash: block?.hash ?? null }
        if (row.isReturned || (row.state !== "DROPPED" && row.blockHash === where.blockHash)) return
        if (row.state === "DROPPED") return step(row, "DETECTED", atMillis, { ...where, reason: null })
        const reason = row.state === "REVERSED" ? cameAgain : row.reason
        rows.set(depositId, { ...row, ...where, reason, updatedAtMillis: atMillis })
      })
    )
})

const moves = ({
  memory,
  move,
  rows,
  set,
  when
}: Store): Pick<
  DepositsShape,
  "confirm" | "unconfirm" | "drop" | "offer" | "assign" | "own" | "missing" | "returned" | "finish"
> => ({
  confirm: (depositId, reason) => move(depositId, ["DETECTED"], "CONFIRMED", reason),
  unconfirm: (depositId) => move(depositId, ["CONFIRMED"], "DETECTED", null),
  drop: (depositId, reason) => move(depositId, ["DETECTED", "CONFIRMED"], "DROPPED", reason),
  offer: (depositId) =>
    when(
      depositId,
      ({ reason, state, userId }) => state === "CONFIRMED" && userId !== null && reason === null,
      (row, atMillis) => rows.set(depositId, { ...row, offeredAtMillis: row.offeredAtMillis ?? atMillis })
    ),
  assign: (depositId, userId, reason) =>
    when(depositId, isNobodys, (row, atMillis) => {
      rows.set(depositId, { ...row, userId, reason })
      Suspense.releaseIn(memory, row, atMillis)
    }),
  own: ({ depositId }, why) =>
    when(
      depositId,
      (row) => isNobodys(row) && row.isFinal,
      (row, atMillis) => {
        rows.set(depositId, { ...row, reason: venuesOwn })
        Suspense.releaseIn(memory, row, atMillis)
        OwnMoney.ofDeposit(row, why, atMillis).remember(memory)
      }
    ),
  missing: (depositId, isMissing) =>
    when(
      depositId,
      ({ state }) => state === "CREDITED",
      (row, atMillis) =>
        rows.set(depositId, { ...row, goneSinceMillis: isMissing ? (row.goneSinceMillis ?? atMillis) : null })
    ),
  returned: (depositId) =>
    when(
      depositId,
      ({ isReturned }) => !isReturned,
      (row, atMillis) => rows.set(depositId, { ...row, isReturned: true, returnedAtMillis: atMillis })
    ),
  finish: (depositId) =>
    set(
      depositId,
      ({ isFinal }) => !isFinal,
      () => ({ isFinal: true })
    )
})

export const make = Effect.map(open, (store): DepositsShape => ({
  ...queries(store),
  ...detect(store),
  ...moves(store)
}))
