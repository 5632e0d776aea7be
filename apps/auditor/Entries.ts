/**
 * Rules for the ledger entries of a journal row. The entries must sum to zero (I9) and move the row's amount on each
 * account (I10).
 */
import type { RailName } from "@venue/domain/Rail"

export interface Entry {
  readonly seq: number
  readonly account: string
  readonly asset: string
  readonly amount: bigint
}

/** Sums, by account, that a journal row's entries must have. */
export interface ExpectedEntries {
  readonly seq: number
  readonly moves: ReadonlyMap<string, bigint>
}

export interface Debit {
  readonly rail: RailName
  readonly amount: bigint
  readonly fee: bigint
}

/**
 * Returns the first fault, or undefined. `entries` are all entries of the stream from the first expected row to the
 * last.
 */
export const faultOf = (
  expected: ReadonlyArray<ExpectedEntries>,
  entries: ReadonlyArray<Entry>
): string | undefined => {
  const sums = new Map<string, bigint>()
  const moved = new Map<string, bigint>()
  for (const { account, amount, asset, seq } of entries) {
    add(sums, `${seq} ${asset}`, amount)
    if (isJournaled(account)) add(moved, `${seq} ${account}`, amount)
  }
  for (const [key, sum] of sums) {
    const [row, asset] = key.split(" ")
    if (sum !== 0n) return `the entries for row ${row} sum to ${sum} (1e-6 ${asset}) instead of 0`
  }
  for (const { moves, seq } of expected) {
    for (const [account, amount] of moves) add(moved, `${seq} ${account}`, -amount)
  }
  for (const [key, rest] of moved) {
    const [row, account] = key.split(" ")
    if (rest !== 0n)
      return `the entries for row ${row} and account ${account} differ from the journal by ${rest} (1e-6 USD)`
  }
  return undefined
}

/**
 * Returns the first fault in a settled withdrawal, or undefined. `entries` are all entries for the withdrawal. They
 * must move the debited amount except the fee out of the venue, and belong to the status change numbered `step`.
 */
export const settlementFaultOf = (
  { amount, fee, rail }: Debit,
  step: number,
  entries: ReadonlyArray<Entry>
): string | undefined => {
  const rests = new Map([
    [`treasury/in-flight/${rail}`, amount],
    [`external/${rail}`, fee - amount],
    ["venue/fees/withdrawal", -fee]
  ])
  for (const { account, amount: moved, seq } of entries) {
    if (seq !== step)
      return `the entries belong to status change ${seq}, but the withdrawal was settled by status change ${step}`
    add(rests, account, moved)
  }
  for (const [account, rest] of rests)
    if (rest !== 0n) return `the entries for account ${account} differ from the withdrawal by ${rest} (1e-6 USD)`
  return undefined
}

/**
 * Returns whether the journal row itself states an account's amounts, as it does for user accounts and reserve funds.
 */
const isJournaled = (account: string): boolean => !account.includes("/") || account.startsWith("reserve-fund/")

const add = (sums: Map<string, bigint>, key: string, amount: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}
