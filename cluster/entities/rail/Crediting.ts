/** Confirms and credits a rail's deposits. Drops or reverses deposits that the rail no longer has. */
import { confirmationsNeeded, reasonAgainst } from "@venue/domain/Deposit"
import type { DepositCommand } from "@venue/domain/DepositSteps"
import type { RailName } from "@venue/domain/Rail"
import type { DepositReason } from "@venue/domain/TreasuryReason"
import type { Arrival, ArrivalState, RailProvider } from "@venue/providers/rails/RailProvider"
import { type Deposit, Deposits, isAccepted } from "@venue/storage/treasury/Deposits"
import { Clock, Effect } from "effect"
import { DeskClient } from "../../clients/DeskClient.ts"
import { noCost } from "../../protocol/Desk.ts"
import * as Turns from "./Turns.ts"

/** Checks one batch of deposits, starting with the longest unchecked. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const deposits = yield* Deposits
  const advance = yield* makeAdvance
  const turns = Turns.make<Deposit>(({ depositId }) => `deposit ${depositId}`)
  const check = Effect.fnUntraced(function* (batch: ReadonlyArray<Deposit>) {
    if (batch.length === 0) return
    const states = yield* provider.arrivalStates(batch.map(arrivalOf))
    yield* Effect.forEach(batch, (deposit, at) => advance(deposit, states[at]!), { concurrency: 8, discard: true })
  })

  return Effect.gen(function* () {
    const due = yield* deposits.due(rail, maxAtOnce)
    const doubtful = due.filter(turns.isDoubtful)
    const others = due.filter((deposit) => !turns.isDoubtful(deposit))
    // One request for all deposits is cheapest, but fails as a whole if a single deposit is faulty.
    const isChecked = yield* check(others).pipe(
      Effect.as(true),
      Effect.catchTag("RailUnavailable", () => Effect.succeed(false))
    )
    yield* turns.each(isChecked ? doubtful : due, (deposit) => check([deposit]))
  })
})

/** Number of deposits in one batch. */
const maxAtOnce = 200

/** Time after which a credited deposit missing from its chain is reversed. A reorg usually re-includes it. */
const goneMillis = 60_000

const makeAdvance = Effect.gen(function* () {
  const deposits = yield* Deposits
  const desks = yield* DeskClient
  /** A refused change is no longer due, because another owner of the rail made it first. */
  const change = ({ depositId }: Deposit, command: ChangeCommand) => isAccepted(deposits.change(depositId, command))

  /**
   * Requests the credit. From then on, the deposit is not dropped, and polls repeat the request until the deposit is
   * credited.
   */
  const credit = Effect.fnUntraced(function* (deposit: Deposit) {
    const { amount, depositId, rail, userId } = deposit
    if (!(yield* change(deposit, { _tag: "Offer" })) || userId === null) return
    yield* desks.ask(userId, (desk) => desk.Deposit({ userId, cost: noCost, depositId, rail, amount }))
  })
  const reverse = ({ depositId, userId }: Deposit, reason: DepositReason) =>
    userId === null
      ? Effect.void
      : desks.ask(userId, (desk) => desk.ReverseDeposit({ userId, cost: noCost, depositId, reason }))

  const present = Effect.fnUntraced(function* (
    deposit: Deposit,
    { confirmations, isFinal }: Extract<ArrivalState, { _tag: "Present" }>
  ) {
    const { goneSinceMillis, offeredAtMillis, state } = deposit
    const isConfirmed = isFinal || confirmations >= confirmationsNeeded
    if (state === "DETECTED" && isConfirmed)
      yield* change(deposit, { _tag: "Confirm", reason: reasonUncredited(deposit) })
    if (state === "CONFIRMED" && !isConfirmed && offeredAtMillis === null)
      return yield* change(deposit, { _tag: "Unconfirm" })
    if (state === "CREDITED" && goneSinceMillis !== null) yield* change(deposit, { _tag: "MarkPresent" })
    if (state !== "CREDITED" && isConfirmed) yield* credit(deposit)
    if (isFinal) yield* change(deposit, { _tag: "MarkFinal" })
  })

  const gone = Effect.fnUntraced(function* (deposit: Deposit, reason: DepositReason, mayComeAgain: boolean) {
    const { goneSinceMillis, offeredAtMillis, state } = deposit
    if (state !== "CREDITED")
      return yield* offeredAtMillis === null ? change(deposit, { _tag: "Drop", reason }) : credit(deposit)
    if (!mayComeAgain) return yield* reverse(deposit, reason)
    yield* change(deposit, { _tag: "MarkGone" })
    if (goneSinceMillis === null || (yield* Clock.currentTimeMillis) - goneSinceMillis < goneMillis) return
    yield* reverse(deposit, reason)
  })

  return (deposit: Deposit, state: ArrivalState) => {
    const advanced = deposit.isReturned
      ? gone(deposit, "bank-return", false)
      : state._tag === "Present"
        ? present(deposit, state)
        : gone(deposit, "missing-on-chain", true)
    return Effect.catchTags(Effect.asVoid(advanced), {
      // The next poll repeats the request.
      Unavailable: () => Effect.void,
      RateLimited: () => Effect.void,
      InvalidAmount: Effect.die,
      UnknownDeposit: Effect.die
    })
  }
})

type ChangeCommand = Exclude<DepositCommand, { readonly _tag: "Detect" | "Credit" | "Reverse" }>

/** Returns the reason why a confirmed deposit is not credited, or null (rule 17.4). */
const reasonUncredited = ({ amount, rail, userId }: Deposit): DepositReason | null =>
  reasonAgainst(rail, amount) ?? (userId === null ? ownerless(rail) : null)

const ownerless = (rail: RailName): DepositReason => (rail === "BANK" ? "unknown-message" : "paying-account")

const arrivalOf = (deposit: Deposit): Arrival => ({
  txHash: deposit.txHash,
  logIndex: deposit.logIndex,
  to: deposit.address,
  amount: deposit.amount,
  block:
    deposit.blockNumber === null || deposit.blockHash === null
      ? null
      : { number: deposit.blockNumber, hash: deposit.blockHash },
  paymentRail: deposit.rail === "BANK" ? deposit.method : null
})
