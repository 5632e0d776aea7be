/** The columns of deposits, and what is asked about them. */
import { belowMinimum, depositIdOf, DepositState } from "@venue/domain/Deposit"
import { DepositMethod, RailName } from "@venue/domain/Rail"
import { UserId } from "@venue/domain/UserId"
import { bigint, boolean, integer, named, numeric, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { Page } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import type { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { DepositStep } from "./Steps.ts"

export const deposits = Table.make("deposit", {
  depositId: text,
  rail: named("network", of("text", RailName)),
  txHash: text,
  logIndex: integer,
  method: of("text", DepositMethod),
  /** It came to this address, or with this message. */
  address: text,
  /** Null until somebody says whose it is. */
  userId: orNull(of("text", UserId)),
  /** It counts 1e-6 USD. */
  amount: numeric,
  blockNumber: orNull(bigint),
  blockHash: orNull(text),
  state: of("text", DepositState),
  /** The number of its newest step. */
  step: integer,
  /** Why it is not credited, or was reversed. */
  reason: orNull(text),
  detectedAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  /** The rail was last asked about it then. */
  checkedAtMillis: timestamptz,
  /** It is credited in any case, from then on. */
  offeredAtMillis: orNull(timestamptz),
  creditedAtMillis: orNull(timestamptz),
  /** The chain does not have it, since then. */
  goneSinceMillis: orNull(timestamptz),
  /** The bank took it back. */
  isReturned: boolean,
  /** The bank's return was noted then. */
  returnedAtMillis: orNull(timestamptz),
  /** Nothing can become of it any more, where it comes from. */
  isFinal: boolean
})
export type Deposit = Table.Row<typeof deposits>

/** A transfer that was seen, and whose it is. */
export interface Detected {
  readonly rail: RailName
  readonly txHash: string
  readonly logIndex: number
  readonly method: DepositMethod
  readonly address: string
  readonly userId: UserId | null
  readonly amount: bigint
  readonly block: { readonly number: number; readonly hash: string } | null
}

/** False where it is in another state by now: nothing was done. */
type Step = Effect.Effect<boolean, DatabaseUnavailable>

export interface DepositsShape {
  /** One that is there stays as it is, but one that was DROPPED is DETECTED again; a block that took the place of another is noted. */
  readonly detect: (seen: Detected) => Effect.Effect<void, DatabaseUnavailable>
  readonly find: (depositId: string) => Effect.Effect<Option.Option<Deposit>, DatabaseUnavailable>
  /** The newest come first; none that was DROPPED. */
  readonly ofUser: (userId: UserId, page: Page) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  /** Number of all deposits of the user, at most `maxCount`. */
  readonly countOfUser: (userId: UserId) => Effect.Effect<number, DatabaseUnavailable>
  /**
   * CONFIRMED ones of which nobody knows whose they are, the oldest first. Strangers send dust to accounts that pay on chains:
   * what is below the minimum there is none of them.
   */
  readonly unmatched: (page: Page) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  /** Number of all unmatched deposits, at most `maxCount`. */
  readonly countUnmatched: Effect.Effect<number, DatabaseUnavailable>
  /** Those of which something may still become, the longest unasked first. They count as asked now. */
  readonly due: (rail: RailName, limit: number) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  readonly steps: (depositId: string) => Effect.Effect<ReadonlyArray<DepositStep>, DatabaseUnavailable>
  /** From DETECTED to CONFIRMED; a reason keeps it there. */
  readonly confirm: (depositId: string, reason: string | null) => Step
  /** Back from CONFIRMED to DETECTED, unless it is to be credited. */
  readonly unconfirm: (depositId: string) => Step
  /** From DETECTED or CONFIRMED to DROPPED, unless it is to be credited. */
  readonly drop: (depositId: string, reason: string) => Step
  /** A CONFIRMED one with an owner and no reason against it is credited from now on, whatever the rail says; true too where it was offered before. */
  readonly offer: (depositId: string) => Step
  /** Somebody has said whose a CONFIRMED one is that nobody knew; `reason` may keep it where it is. */
  readonly assign: (depositId: string, userId: UserId, reason: string | null) => Step
  /** A CONFIRMED one of which nobody knew whose it is, and that is final, is the venue's own, and an entry says so. */
  readonly own: (deposit: Deposit, why: string) => Step
  /** The chain does not have a CREDITED one, since now unless since earlier; null: it has it. */
  readonly missing: (depositId: string, isMissing: boolean) => Step
  /** The bank takes these back. */
  readonly returned: (depositId: string) => Step
  /** Nothing can become of it any more, where it comes from. */
  readonly finish: (depositId: string) => Step
  /** Something ever came to these of a rail, each once. */
  readonly addresses: (rail: RailName) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  /** A chain has lost money that the user was credited. */
  readonly isMissing: (userId: UserId) => Effect.Effect<boolean, DatabaseUnavailable>
}

/** The same as where `due` selects. */
export const isDue = ({ isFinal, isReturned, reason, state, userId }: Deposit): boolean =>
  (state === "DETECTED" || state === "CONFIRMED" || state === "CREDITED") &&
  (!isFinal || isReturned || (state === "CONFIRMED" && reason === null && userId !== null))

/** It is nobody's yet, as far as is known. */
export const isNobodys = ({ reason, state, userId }: Deposit): boolean =>
  state === "CONFIRMED" && userId === null && reason !== venuesOwn

/** The same on Postgres. */
export const nobodys = (sql: SqlClient.SqlClient): Fragment =>
  sql`state = 'CONFIRMED' and user_id is null and reason is distinct from ${venuesOwn}::text`

/** An operator should say whose it is. */
export const isUnmatched = (deposit: Deposit): boolean =>
  isNobodys(deposit) && (deposit.rail === "BANK" || deposit.reason !== belowMinimum)

/** An operator has said so; the reason that they gave is in the entry. */
export const venuesOwn = "it is the venue's own"

/** It is not credited a second time: an operator decides. */
export const cameAgain = "it came again after it was reversed"

/** The row of one that was seen for the first time. */
export const detected = (seen: Omit<Detected, "block">, block: Detected["block"], atMillis: number): Deposit => ({
  ...seen,
  depositId: depositIdOf(seen.rail, seen.txHash, seen.logIndex),
  blockNumber: block?.number ?? null,
  blockHash: block?.hash ?? null,
  state: "DETECTED",
  step: 1,
  reason: null,
  detectedAtMillis: atMillis,
  updatedAtMillis: atMillis,
  checkedAtMillis: atMillis,
  offeredAtMillis: null,
  creditedAtMillis: null,
  goneSinceMillis: null,
  isReturned: false,
  returnedAtMillis: null,
  isFinal: false
})
