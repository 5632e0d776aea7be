/** What has come in by a rail is noted, with whose it is, before the rail is read on. */
import { DepositMethod, type RailName } from "@venue/domain/Rail"
import { depositIdOf } from "@venue/domain/Deposit"
import type { UserId } from "@venue/domain/UserId"
import type { Arrival, RailProvider } from "@venue/providers/rails/RailProvider"
import { DepositAddresses } from "@venue/storage/treasury/DepositAddresses"
import { DepositMessages } from "@venue/storage/treasury/DepositMessages"
import { Deposits } from "@venue/storage/treasury/Deposits"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { Effect, Option, Schema } from "effect"

/** Reads on once. A repeat, and another owner that reads the same, change nothing. */
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
    for (const { logIndex, txHash } of returned) yield* deposits.returned(depositIdOf(rail, txHash, logIndex))
    yield* states.scanned(rail, before, cursor)
  })
})

interface Owner {
  readonly userId: UserId
  readonly method: DepositMethod
}

/** Addresses are never taken back, and a later one is never seen before an earlier one: only new ones are asked for. */
const makeWatched = Effect.fnUntraced(function* (rail: RailName) {
  const { after } = yield* DepositAddresses
  const known: Array<string> = []
  if (rail === "BANK") return Effect.succeed(known)
  return Effect.gen(function* () {
    for (;;) {
      const more = yield* after(rail, known.length - 1, page)
      for (const { address } of more) known.push(address)
      if (more.length < page) return known
    }
  })
})

const page = 1_000

/** Whose the addresses or messages are that something came to. */
const makeOwnerOf = Effect.fnUntraced(function* (rail: RailName) {
  const { owned } = yield* DepositAddresses
  const { find } = yield* DepositMessages
  return Effect.fnUntraced(function* (arrivals: ReadonlyArray<Arrival>) {
    const found = new Map<string, Owner>()
    if (arrivals.length === 0) return found
    if (rail !== "BANK") {
      const rows = yield* owned(
        rail,
        arrivals.map(({ to }) => to)
      )
      for (const { address, userId } of rows) found.set(address, { userId, method: rail })
      return found
    }
    for (const { to } of arrivals) {
      const message = yield* find(to)
      if (Option.isSome(message)) found.set(to, { userId: message.value.userId, method: message.value.rail })
    }
    return found
  })
})

/** By the way that the bank names, where nobody knows whose it is. */
const methodOf = (rail: RailName, { paymentRail }: Arrival): DepositMethod =>
  rail === "BANK" ? (isMethod(paymentRail) ? paymentRail : "wire") : rail

const isMethod = Schema.is(DepositMethod)
