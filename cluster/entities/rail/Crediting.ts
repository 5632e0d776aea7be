/** Deposits of a rail, from what was seen to what is credited, and what is taken back. */
import { confirmationsNeeded, reasonAgainst } from "@venue/domain/Deposit"
import type { RailName } from "@venue/domain/Rail"
import type { Arrival, ArrivalState, RailProvider } from "@venue/providers/rails/RailProvider"
import { type Deposit, Deposits } from "@venue/storage/treasury/Deposits"
import { Clock, Effect } from "effect"
import { DeskClient } from "../../clients/DeskClient.ts"
import { noCost } from "../../protocol/Desk.ts"
import * as Turns from "./Turns.ts"

/** Looks once at those that were looked at least lately. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const deposits = yield* Deposits
  const step = yield* makeStep
  const turns = Turns.make<Deposit>(({ depositId }) => `deposit ${depositId}`)
  const look = Effect.fnUntraced(function* (some: ReadonlyArray<Deposit>) {
    if (some.length === 0) return
    const states = yield* provider.arrivalStates(some.map(arrivalOf))
    yield* Effect.forEach(some, (deposit, at) => step(deposit, states[at]!), { concurrency: 8, discard: true })
  })

  return Effect.gen(function* () {
    const due = yield* deposits.due(rail, maxAtOnce)
    const doubtful = due.filter(turns.isDoubtful)
    const others = due.filter((one) => !turns.isDoubtful(one))
    // All at once cost least; where one of them is odd, none is told of.
    const isTold = yield* look(others).pipe(
      Effect.as(true),
      Effect.catchTag("RailUnavailable", () => Effect.succeed(false))
    )
    yield* turns.each(isTold ? doubtful : due, (one) => look([one]))
  })
})

const maxAtOnce = 200

/** So long may a chain not have what was credited before it is taken back: what a reorganisation drops comes again as a rule. */
const goneMillis = 60_000

const makeStep = Effect.gen(function* () {
  const { confirm, drop, finish, missing, offer, unconfirm } = yield* Deposits
  const desks = yield* DeskClient

  /** Its user has it in any case once it is offered. A desk that cannot be reached is asked again at the next look. */
  const credit = Effect.fnUntraced(function* ({ amount, depositId, rail, userId }: Deposit) {
    if (!(yield* offer(depositId)) || userId === null) return
    yield* desks.ask(userId, (desk) => desk.Deposit({ userId, cost: noCost, depositId, rail, amount }))
  })
  const reverse = ({ depositId, userId }: Deposit, reason: string) =>
    userId === null
      ? Effect.void
      : desks.ask(userId, (desk) => desk.ReverseDeposit({ userId, cost: noCost, depositId, reason }))

  const present = Effect.fnUntraced(function* (
    deposit: Deposit,
    { confirmations, isFinal }: Extract<ArrivalState, { _tag: "Present" }>
  ) {
    const { depositId, state } = deposit
    const isConfirmed = isFinal || confirmations >= confirmationsNeeded
    if (state === "DETECTED" && isConfirmed) yield* confirm(depositId, objection(deposit))
    if (state === "CONFIRMED" && !isConfirmed && deposit.offeredAtMillis === null) return yield* unconfirm(depositId)
    if (state === "CREDITED" && deposit.goneSinceMillis !== null) yield* missing(depositId, false)
    if (state !== "CREDITED" && isConfirmed) yield* credit(deposit)
    if (isFinal) yield* finish(depositId)
  })

  const gone = Effect.fnUntraced(function* (deposit: Deposit, why: string, mayComeAgain: boolean) {
    const { depositId, goneSinceMillis, offeredAtMillis, state } = deposit
    if (state !== "CREDITED") return yield* offeredAtMillis === null ? drop(depositId, why) : credit(deposit)
    if (!mayComeAgain) return yield* reverse(deposit, why)
    yield* missing(depositId, true)
    if (goneSinceMillis === null || (yield* Clock.currentTimeMillis) - goneSinceMillis < goneMillis) return
    yield* reverse(deposit, why)
  })

  return (deposit: Deposit, state: ArrivalState) => {
    const stepped = deposit.isReturned
      ? gone(deposit, "the bank took it back", false)
      : state._tag === "Present"
        ? present(deposit, state)
        : gone(deposit, "the chain does not have it any more", true)
    return Effect.catchTags(Effect.asVoid(stepped), {
      // Said again at the next look.
      Unavailable: () => Effect.void,
      RateLimited: () => Effect.void,
      InvalidAmount: Effect.die,
      UnknownDeposit: Effect.die
    })
  }
})

/** Why it stays uncredited (rule 17.4). */
const objection = ({ amount, rail, userId }: Deposit): string | null =>
  reasonAgainst(rail, amount) ?? (userId === null ? nobodys(rail) : null)

const nobodys = (rail: RailName): string =>
  rail === "BANK" ? "no user has this message" : "it came to the account that pays withdrawals"

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
