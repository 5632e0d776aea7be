/** The entries that a row of the journal wrote: they sum to zero (I9), and move on each account what the row says (I10). */
import type { RailName } from "@venue/domain/Rail"

export interface Entry {
  readonly seq: number
  readonly account: string
  readonly asset: string
  readonly amount: bigint
}

/** The sums, by account, of the entries that a row of the journal must have. */
export interface ExpectedEntries {
  readonly seq: number
  readonly moves: ReadonlyMap<string, bigint>
}

/** What a withdrawal took from an account. */
export interface Debit {
  readonly rail: RailName
  readonly amount: bigint
  readonly fee: bigint
}

/** All entries of these rows of one stream, and of the rows between them. */
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
  for (const [row, sum] of sums) if (sum !== 0n) return `the entries of row ${row} sum to ${sum}`
  for (const { moves, seq } of expected) {
    for (const [account, amount] of moves) add(moved, `${seq} ${account}`, -amount)
  }
  for (const [row, rest] of moved) if (rest !== 0n) return `the entries of row ${row} are ${rest} off the journal`
  return undefined
}

/** All entries of a withdrawal that has arrived, by the step with which it had: what was debited is outside, but for the fee. */
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
    if (seq !== step) return `entries of step ${seq}, and it arrived with step ${step}`
    add(rests, account, moved)
  }
  for (const [account, rest] of rests) if (rest !== 0n) return `${account} is ${rest} off the journal`
  return undefined
}

/** What the row itself says moves on it: accounts of users, and the reserve fund. */
const isJournaled = (account: string): boolean => !account.includes("/") || account.startsWith("reserve-fund/")

const add = (sums: Map<string, bigint>, key: string, amount: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}
