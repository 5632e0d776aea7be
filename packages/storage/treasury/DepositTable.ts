/** Columns of deposits, and the service that stores them. */
import { depositIdOf, DepositState, type UnknownDeposit } from "@venue/domain/Deposit"
import * as DepositSteps from "@venue/domain/DepositSteps"
import {
  type DepositChange,
  type DepositCommand,
  type DepositStepRefused,
  isOwnerless,
  type Progress
} from "@venue/domain/DepositSteps"
import { DepositMethod, RailName } from "@venue/domain/Rail"
import { StoredDepositReason } from "@venue/domain/TreasuryReason"
import { UserId } from "@venue/domain/UserId"
import { bigint, boolean, integer, named, numeric, of, orNull, text, timestamptz } from "@venue/postgres/Column"
import type { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import type { Page } from "@venue/postgres/Page"
import * as Table from "@venue/postgres/Table"
import type { Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { DepositStep } from "./Steps.ts"

/** Columns without a comment are described at `Progress` in `domain/DepositSteps`. */
export const deposits = Table.make("deposit", {
  depositId: text,
  rail: named("network", of("text", RailName)),
  txHash: text,
  logIndex: integer,
  method: of("text", DepositMethod),
  /** Address that received the transfer; at a bank the message of the transfer. */
  address: text,
  userId: orNull(of("text", UserId)),
  /** In 1e-6 USD. */
  amount: numeric,
  blockNumber: orNull(bigint),
  blockHash: orNull(text),
  state: of("text", DepositState),
  step: integer,
  version: integer,
  reason: orNull(of("text", StoredDepositReason)),
  detectedAtMillis: timestamptz,
  updatedAtMillis: timestamptz,
  /** Time of the last request to the rail about the deposit. */
  checkedAtMillis: timestamptz,
  offeredAtMillis: orNull(timestamptz),
  creditedAtMillis: orNull(timestamptz),
  goneSinceMillis: orNull(timestamptz),
  isReturned: boolean,
  returnedAtMillis: orNull(timestamptz),
  isFinal: boolean
})
export type Deposit = Table.Row<typeof deposits> & Progress

/** A transfer as it was seen on its rail, and its owner. */
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

/** Changes of a row, empty if nothing was left to do. */
export type Changed = Effect.Effect<
  ReadonlyArray<DepositChange>,
  DepositStepRefused | UnknownDeposit | DatabaseUnavailable
>

export interface DepositsShape {
  /** Stores a deposit that was seen; a known one is stored again only if it was DROPPED, or is in another block by now. */
  readonly detect: (transfer: Detected) => Effect.Effect<void, DatabaseUnavailable>
  readonly find: (depositId: string) => Effect.Effect<Option.Option<Deposit>, DatabaseUnavailable>
  /** Newest first, without DROPPED deposits. */
  readonly ofUser: (userId: UserId, page: Page) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  /** Number of all deposits of the user, at most `maxCount`. */
  readonly countOfUser: (userId: UserId) => Effect.Effect<number, DatabaseUnavailable>
  /**
   * CONFIRMED deposits without an owner, oldest first. Omits deposits below the minimum on chains: strangers send dust to the
   * hot wallet.
   */
  readonly unmatched: (page: Page) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  /** Number of all unmatched deposits, at most `maxCount`. */
  readonly countUnmatched: Effect.Effect<number, DatabaseUnavailable>
  /** Deposits that may still change, the longest unchecked first; marks them as checked now. */
  readonly due: (rail: RailName, limit: number) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  readonly steps: (depositId: string) => Effect.Effect<ReadonlyArray<DepositStep>, DatabaseUnavailable>
  /** Decides a command and stores the change, in one commit with its step and its ledger entries. */
  readonly change: (depositId: string, command: Exclude<DepositCommand, Elsewhere>) => Changed
  /** Distinct addresses of all deposits of a rail. */
  readonly addresses: (rail: RailName) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  /** Whether a chain lacks a deposit that the user was credited. */
  readonly isMissing: (userId: UserId) => Effect.Effect<boolean, DatabaseUnavailable>
}

/** Returns whether a deposit may still change, as the query `due` selects. */
export const isDue = ({ isFinal, isReturned, reason, state, userId }: Deposit): boolean =>
  (state === "DETECTED" || state === "CONFIRMED" || state === "CREDITED") &&
  (!isFinal || isReturned || (state === "CONFIRMED" && reason === null && userId !== null))

/** Returns `isOwnerless` of `domain/DepositSteps` as a condition in SQL. */
export const isOwnerlessIn = (sql: SqlClient.SqlClient): Fragment =>
  sql`state = 'CONFIRMED' and user_id is null and reason is distinct from 'venue-own'`

/** Returns whether an operator should assign the deposit to a user. */
export const isUnmatched = (deposit: Deposit): boolean =>
  isOwnerless(deposit) && (deposit.rail === "BANK" || deposit.reason !== "below-minimum")

/** Returns the row of a deposit that was seen for the first time. */
export const detected = (transfer: Omit<Detected, "block">, block: Detected["block"], atMillis: number): Deposit => ({
  ...transfer,
  ...DepositSteps.detected(
    { ...transfer, depositId: depositIdOf(transfer.rail, transfer.txHash, transfer.logIndex) },
    block,
    atMillis
  ),
  detectedAtMillis: atMillis,
  checkedAtMillis: atMillis
})

/** Commands with a method of their own, or whose change comes with a row of the journal. */
type Elsewhere = { readonly _tag: "Detect" | "Credit" | "Reverse" }
