/**
 * A simulated rail on Postgres with its owner, its holdings and an auditor, each of which runs only when the test
 * calls it.
 */
import * as Holdings from "@venue/cluster/entities/rail/Holdings"
import * as Look from "@venue/cluster/entities/rail/Look"
import * as StoredRails from "@venue/simulation/rails/StoredRails"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import type { RailName, WithdrawalMethod } from "@venue/domain/Rail"
import type { TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { withdrawalTerms } from "@venue/domain/Withdrawal"
import type { DepositReason, EndReason } from "@venue/domain/TreasuryReason"
import { Journal, type TreasuryStep } from "@venue/journal/Journal"
import * as TraderRecord from "@venue/journal/TraderRecord"
import { Seal } from "@venue/postgres/Seal"
import { Transaction } from "@venue/postgres/Transaction"
import type { RailProvider } from "@venue/providers/rails/RailProvider"
import { SimulatedRails as Rails } from "@venue/providers/rails/SimulatedRails"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { HasAuditor } from "@venue/storage/access/VenueModes"
import { RailAudits } from "@venue/storage/audit/RailAudits"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Listings } from "@venue/storage/listing/Listings"
import * as TreasuryTables from "@venue/storage/treasury/TreasuryTables"
import { Clock, Effect, Layer, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import * as Audit from "../../../apps/auditor/Audit.ts"
import * as RailBooks from "../../../apps/auditor/RailBooks.ts"
import { recorder, yes } from "../../journal/JournalNodes.ts"
import { postgresLayer } from "../../Postgres.ts"

/**
 * The auditor seems late because the database's clock differs from the test's clock, so audits must not block
 * anything here.
 */
const heedless = Layer.succeed(HasAuditor)(false)

export const destination = "0xabc"
export const user = UserId.make("amy")

export const layer = StoredRails.layer.pipe(
  Layer.provideMerge(TreasuryTables.layer),
  Layer.provideMerge(Layer.mergeAll(Journal.layer, ReadTables.layer, Listings.layer, Transaction.layer)),
  Layer.provideMerge(AccessTables.layer),
  Layer.provide([
    heedless,
    Seal.layer(Redacted.make("a key of the treasury's tests, 32 and more")),
    SecureRandom.layerWebCrypto
  ]),
  Layer.provideMerge(postgresLayer)
)

/** Commits an event of the user's machine, with its treasury steps. */
const record = Effect.fnUntraced(function* (event: TreasuryStep["event"]) {
  const journal = yield* Journal
  const from = yield* journal.claim(`trader/${user}`, recorder(), yes)
  yield* Effect.callback<void>((resume) => {
    let rest: ReadonlyArray<TraderEvent> = [event]
    const appender = journal.append(
      {
        stream: `trader/${user}`,
        collect: () => {
          if (rest.length === 0) return undefined
          rest = []
          const alongside = [{ _tag: "TreasuryStep", userId: user, event } as const]
          return { events: TraderRecord.encode([event]), alongside }
        },
        committed: () => {
          appender.close()
          resume(Effect.void)
        },
        lost: (why) => resume(Effect.die(why))
      },
      from
    )
    appender.wake()
  })
})

/** Returns the user's desk, which accepts every request once. */
const makeDesk = Effect.gen(function* () {
  const journal = yield* Journal
  const deposits = new Map<string, { readonly rail: RailName; readonly amount: bigint }>()
  const withdrawals = new Map<string, { readonly method: WithdrawalMethod; readonly amount: bigint }>()
  const ended = new Set<string>()
  const once = (name: string, event: (atMillis: number) => TreasuryStep["event"]) =>
    Effect.gen(function* () {
      if (ended.has(name)) return
      ended.add(name)
      yield* record(event(yield* Clock.currentTimeMillis)).pipe(Effect.provideService(Journal, journal))
    })
  const desk = {
    Deposit: ({ amount, depositId, rail }: { depositId: string; rail: RailName; amount: bigint }) => {
      deposits.set(depositId, { rail, amount })
      return once(depositId, (atMillis) => ({ _tag: "Deposited", depositId, rail, amount, atMillis }))
    },
    ReverseDeposit: ({ depositId, reason }: { depositId: string; reason: DepositReason }) =>
      once(`${depositId} reversed`, (atMillis) => {
        return { _tag: "DepositReversed", depositId, ...deposits.get(depositId)!, reason, atMillis }
      }),
    ReturnWithdrawal: (given: { withdrawalId: string; ending: "REJECTED" | "FAILED"; reason: EndReason }) =>
      once(`${given.withdrawalId} returned`, (atMillis) => {
        const { ending, reason, withdrawalId } = given
        const of = withdrawals.get(withdrawalId)!
        return { _tag: "WithdrawalReturned", withdrawalId, ending, reason, ...of, atMillis }
      })
  }
  const ask = (_: UserId, call: (entity: typeof desk) => unknown) => call(desk)
  return {
    layer: Layer.succeed(DeskClient)({ ask } as unknown as DeskClient["Service"]),
    withdraw: (withdrawalId: string, method: WithdrawalMethod, amount: bigint) => {
      withdrawals.set(withdrawalId, { method, amount })
      const { fee } = withdrawalTerms[method]
      return once(withdrawalId, (atMillis) => {
        const about = { withdrawalId, method, amount, fee, destination, reasons: [], atMillis }
        return { _tag: "WithdrawalAccepted", ...about }
      })
    }
  }
})

/** Opens the simulated rail of this name. */
export const open = Effect.fnUntraced(function* (rail: RailName) {
  const simulated = (yield* Rails).get(rail)!
  return { ...(yield* over(simulated.provider)), simulated }
})

/**
 * Returns the venue of a rail. `second` advances one second, and audits every second holding only after the books
 * have changed.
 */
export const over = Effect.fnUntraced(function* (provider: RailProvider) {
  const { rail } = provider
  const { layer: desks, withdraw } = yield* makeDesk
  const look = yield* Look.make(provider).pipe(Effect.provide(desks))
  const audit = yield* Audit.make()
  const railAudits = yield* RailAudits
  let seconds = 0

  const audited = Effect.gen(function* () {
    const fault = yield* audit.round
    if (fault !== null) return yield* Effect.die(fault)
    yield* railAudits.record(audit.rails())
    const difference = RailBooks.differenceOf(audit.rails())
    return { difference, of: audit.rails().find((audited) => audited.rail === rail) }
  })
  // A new instance has no holding yet, so it reads the holding at once.
  const hold = Effect.flatten(Holdings.make(provider)).pipe(Effect.catchTag("RailUnavailable", () => Effect.void))
  const second = Effect.gen(function* () {
    yield* TestClock.adjust("1 second")
    yield* look
    const stale = yield* audited
    yield* hold
    const fresh = seconds++ % 2 === 0 ? yield* audited : undefined
    return { stale, fresh }
  })
  /**
   * Fails at the first holding that differs from the books. A late holding fails only if it differs twice in
   * succession.
   */
  const pass = Effect.fnUntraced(function* (count: number) {
    for (let n = 0; n < count; n++) {
      const { fresh, stale } = yield* second
      if ((fresh?.of?.times ?? 0) > 0) return yield* Effect.die(`${fresh!.of!.amount} and ${fresh!.of!.books}`)
      if (stale.difference !== null) return yield* Effect.die(stale.difference)
    }
  })
  return { withdraw, second, pass, hold, audited }
})
