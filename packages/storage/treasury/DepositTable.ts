/** Columns of deposits, and the interface of the service that stores them. */
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

/** The type `Progress` in `domain/DepositSteps` documents the columns without a comment here. */
export const deposits = Table.make("deposit", {
  depositId: text,
  rail: named("network", of("text", RailName)),
  txHash: text,
  logIndex: integer,
  method: of("text", DepositMethod),
  /** Address that received the transfer, or the message of a bank transfer. */
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
  /** Time at which the rail was last queried about the deposit. */
  checkedAtMillis: timestamptz,
  offeredAtMillis: orNull(timestamptz),
  creditedAtMillis: orNull(timestamptz),
  goneSinceMillis: orNull(timestamptz),
  isReturned: boolean,
  returnedAtMillis: orNull(timestamptz),
  isFinal: boolean
})
export type Deposit = Table.Row<typeof deposits> & Progress

/** A transfer as detected on its rail, with its owner. */
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

/** Changes that a command made; empty if there was nothing left to do. */
export type Changed = Effect.Effect<
  ReadonlyArray<DepositChange>,
  DepositStepRefused | UnknownDeposit | DatabaseUnavailable
>

export interface DepositsShape {
  /** Stores a deposit. A known one is stored again only if it was DROPPED or has moved to another block. */
  readonly detect: (transfer: Detected) => Effect.Effect<void, DatabaseUnavailable>
  readonly find: (depositId: string) => Effect.Effect<Option.Option<Deposit>, DatabaseUnavailable>
  /** Returns a user's deposits except DROPPED ones, newest first. */
  readonly ofUser: (userId: UserId, page: Page) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  /** Returns the number of the user's deposits, at most `maxCount`. */
  readonly countOfUser: (userId: UserId) => Effect.Effect<number, DatabaseUnavailable>
  /**
   * Returns CONFIRMED deposits without an owner, oldest first. Omits chain deposits below the minimum, because
   * strangers send dust to the hot wallet.
   */
  readonly unmatched: (page: Page) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  /** Number of all unmatched deposits, at most `maxCount`. */
  readonly countUnmatched: Effect.Effect<number, DatabaseUnavailable>
  /** Returns deposits that can still change, least recently checked first, and marks them as checked now. */
  readonly due: (rail: RailName, limit: number) => Effect.Effect<ReadonlyArray<Deposit>, DatabaseUnavailable>
  readonly steps: (depositId: string) => Effect.Effect<ReadonlyArray<DepositStep>, DatabaseUnavailable>
  /** Decides a command and stores the resulting change in one commit with its state transition and ledger entries. */
  readonly change: (depositId: string, command: Exclude<DepositCommand, Elsewhere>) => Changed
  /** Returns the distinct addresses of all deposits on a rail. */
  readonly addresses: (rail: RailName) => Effect.Effect<ReadonlyArray<string>, DatabaseUnavailable>
  /** Whether a deposit credited to the user has disappeared from its chain. */
  readonly isMissing: (userId: UserId) => Effect.Effect<boolean, DatabaseUnavailable>
}

/** Whether a deposit can still change; the same condition as in the query `due`. */
export const isDue = ({ isFinal, isReturned, reason, state, userId }: Deposit): boolean =>
  (state === "DETECTED" || state === "CONFIRMED" || state === "CREDITED") &&
  (!isFinal || isReturned || (state === "CONFIRMED" && reason === null && userId !== null))

/** Returns `isOwnerless` of `domain/DepositSteps` as an SQL condition. */
export const isOwnerlessIn = (sql: SqlClient.SqlClient): Fragment =>
  sql`state = 'CONFIRMED' and user_id is null and reason is distinct from 'venue-own'`

/** Whether an operator has to assign the deposit to a user. */
export const isUnmatched = (deposit: Deposit): boolean =>
  isOwnerless(deposit) && (deposit.rail === "BANK" || deposit.reason !== "below-minimum")

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

/** Commands that have their own method, or whose change is written with a journal row. */
type Elsewhere = { readonly _tag: "Detect" | "Credit" | "Reverse" }
