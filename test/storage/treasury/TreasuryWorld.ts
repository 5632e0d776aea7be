/** The treasury's tables and a journal that writes into them, on Postgres and in memory. */
import type { PaymentObstacle } from "@venue/domain/TreasuryReason"
import type { TraderEvent } from "@venue/domain/Trader"
import { UserId } from "@venue/domain/UserId"
import { depositIdOf } from "@venue/domain/Deposit"
import { Journal, type TreasuryStep } from "@venue/journal/Journal"
import { JournalRows } from "@venue/journal/JournalMemory"
import * as AccessTables from "@venue/storage/access/AccessTables"
import { HasAuditor } from "@venue/storage/access/VenueModes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { Deposits, type Detected } from "@venue/storage/treasury/Deposits"
import { RailStates } from "@venue/storage/treasury/RailStates"
import { TreasuryFlags } from "@venue/storage/treasury/TreasuryFlags"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Clock, Effect, Layer, Option, Redacted } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import { Seal } from "@venue/postgres/Seal"
import { bytes, recorder, yes } from "../../journal/JournalNodes.ts"
import { postgresLayer } from "../../Postgres.ts"

const alone = Layer.succeed(HasAuditor)(false)
const seal = Seal.layer(Redacted.make("a key of the treasury's tests, 32 and more"))

/** Probes the connection by the real clock, because a test clock's jump would look like an unresponsive database. */
const journal = Journal.layer.pipe(Layer.provide(Layer.succeed(Clock.Clock)(Clock.Clock.defaultValue())))

export const onPostgres = Layer.mergeAll(
  journal,
  ReadTables.layer,
  Deposits.layer,
  RailStates.layer,
  TreasuryFlags.layer,
  Withdrawals.layer
).pipe(
  Layer.provideMerge(AccessTables.layer),
  Layer.provide([alone, seal, SecureRandom.layerWebCrypto]),
  Layer.provideMerge(postgresLayer)
)

export const inMemory = Layer.mergeAll(
  Journal.layerMemoryNode,
  ReadTables.layerMemory,
  Deposits.layerMemory,
  RailStates.layerMemory,
  TreasuryFlags.layerMemory,
  Withdrawals.layerMemory
).pipe(
  Layer.provideMerge(AccessTables.layerMemory),
  Layer.provide([JournalRows.layer, alone, seal, SecureRandom.layerWebCrypto])
)

export const recorded = Effect.fnUntraced(function* (userId: UserId, ...events: ReadonlyArray<TreasuryStep["event"]>) {
  const journal = yield* Journal
  const from = yield* journal.claim(`trader/${userId}`, recorder(), yes)
  yield* Effect.callback<void>((resume) => {
    let rest: ReadonlyArray<TraderEvent> = events
    const appender = journal.append(
      {
        stream: `trader/${userId}`,
        collect: () => {
          if (rest.length === 0) return undefined
          rest = []
          const alongside = events.map((event) => ({ _tag: "TreasuryStep", userId, event }) as const)
          return { events: bytes("x"), alongside }
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

export const obstacle = (text: string): PaymentObstacle => ({ _tag: "ChainRejects", text })

export const accepted = (
  withdrawalId: string,
  more: Partial<Extract<TraderEvent, { _tag: "WithdrawalAccepted" }>> = {}
) =>
  ({
    _tag: "WithdrawalAccepted",
    withdrawalId,
    method: "ARBITRUM_ONE",
    amount: 100_000_000n,
    fee: 1_000_000n,
    destination: "0xabc",
    reasons: [],
    atMillis: 1_000,
    ...more
  }) as const

export const returned = (withdrawalId: string, ending: "REJECTED" | "FAILED") =>
  ({
    _tag: "WithdrawalReturned",
    withdrawalId,
    ending,
    reason: { _tag: "PaymentCancelled" },
    method: "ARBITRUM_ONE",
    amount: 100_000_000n,
    atMillis: 9_000
  }) as const

export const payment = (attempt: number, reference = `0x${attempt}`) => ({
  attempt,
  purpose: "pay" as const,
  reference,
  bytes: Redacted.make(`signed ${reference}`),
  expiresAtMillis: null,
  signedAtMillis: 5_000
})

export const seen = (txHash: string, more: Partial<Detected> = {}): Detected => ({
  rail: "TRON",
  txHash,
  logIndex: 0,
  method: "TRON",
  address: "Taddress",
  userId: UserId.make("amy"),
  amount: 50_000_000n,
  block: { number: 7, hash: "block-7" },
  ...more
})

export const deposited = (txHash: string) =>
  ({
    _tag: "Deposited",
    depositId: depositIdOf("TRON", txHash, 0),
    rail: "TRON",
    amount: 50_000_000n,
    atMillis: 8_000
  }) as const

export const reversed = (txHash: string) =>
  ({ ...deposited(txHash), _tag: "DepositReversed", reason: "missing-on-chain", atMillis: 9_000 }) as const

export const withdrawal = (withdrawalId: string) =>
  Effect.flatMap(Withdrawals, ({ find }) => Effect.map(find(withdrawalId), Option.getOrThrow))

export const deposit = (txHash: string) =>
  Effect.flatMap(Deposits, ({ find }) => Effect.map(find(depositIdOf("TRON", txHash, 0)), Option.getOrThrow))
