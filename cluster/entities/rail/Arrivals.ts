/** Stores the transfers that a rail reports, with their owners, before the rail's cursor moves. */
import { DepositMethod, type RailName } from "@venue/domain/Rail"
import { depositIdOf } from "@venue/domain/Deposit"
import type { UserId } from "@venue/domain/UserId"
import type { Arrival, RailProvider } from "@venue/providers/rails/RailProvider"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { Deposits, isAccepted } from "@venue/storage/treasury/Deposits"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { Effect, Option, Schema } from "effect"

/** Scans the rail once from its cursor. Repeating the scan, even by another owner, stores nothing new. */
export const make = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const deposits = yield* Deposits
  const states = yield* RailStates
  const watched = yield* makeWatched(rail)
  const ownerOf = yield* makeOwnerOf(rail)

  return Effect.gen(function* () {
    const before = (yield* states.find(rail)).cursor
    const { arrivals, cursor, returned } = yield* provider.scan(before, watched)
    const owned = yield* ownerOf(arrivals)
    for (const arrival of arrivals) {
      const { amount, block, logIndex, to, txHash } = arrival
      const owner = owned.get(to)
      const method = owner?.method ?? methodOf(rail, arrival)
      yield* deposits.detect({
        rail,
        txHash,
        logIndex,
        method,
        address: to,
        userId: owner?.userId ?? null,
        amount,
        block
      })
    }
    for (const { logIndex, txHash } of returned) {
      // A return of a credit that was never reported is ignored.
      yield* isAccepted(deposits.change(depositIdOf(rail, txHash, logIndex), { _tag: "MarkReturned" }))
    }
    yield* states.scanned(rail, before, cursor)
  })
})

interface Owner {
  readonly userId: UserId
  readonly method: DepositMethod
}

/**
 * Returns all of a chain's deposit addresses. Reads only new addresses, because addresses are never removed and their
 * indexes ascend.
 */
const makeWatched = Effect.fnUntraced(function* (rail: RailName) {
  const { after } = yield* DepositAddresses
  const known: Array<string> = []
  if (rail === "BANK") return Effect.succeed(known)
  return Effect.gen(function* () {
    for (;;) {
      const rows = yield* after(rail, known.length - 1, pageSize)
      for (const { address } of rows) known.push(address)
      if (rows.length < pageSize) return known
    }
  })
})

const pageSize = 1_000

/** Returns each transfer's owner: on a chain by its address, at a bank by its transfer message. */
const makeOwnerOf = Effect.fnUntraced(function* (rail: RailName) {
  const { owned } = yield* DepositAddresses
  const { find } = yield* DepositMessages
  return Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const owners = new Map<string, Owner>()
    if (arrivals.length === 0) return owners
    if (rail !== "BANK") {
      const rows = yield* owned(
        rail,
        arrivals.map(({ to }) => to)
      )
      for (const { address, userId } of rows) owners.set(address, { userId, method: rail })
      return owners
    }
    for (const { to } of arrivals) {
      const message = yield* find(to)
      if (Option.isSome(message)) owners.set(to, { userId: message.value.userId, method: message.value.rail })
    }
    return owners
  })
})

/** Returns the deposit method of a transfer without an owner: at a bank, the payment rail that the bank reports. */
const methodOf = (rail: RailName, { paymentRail }: Arrival): DepositMethod =>
  rail === "BANK" ? (isMethod(paymentRail) ? paymentRail : "wire") : rail

const isMethod = Schema.is(DepositMethod)
