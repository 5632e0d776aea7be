/** Double-entry ledger: the entries of each event sum to zero in each asset. */
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { dateOf } from "@venue/domain/Day"
import { type MarketEvent, marketStream } from "@venue/domain/Market"
import type { MarketSymbol } from "@venue/domain/MarketSymbol"
import { quarterHourMillis, quarterHourOf } from "@venue/domain/QuarterHour"
import { type RailName, railOf } from "@venue/domain/Rail"
import { type TraderEvent, traderStream } from "@venue/domain/Trader"
import type { EndReason } from "@venue/domain/TreasuryReason"
import type { UserId } from "@venue/domain/UserId"
import { Effect, Schema } from "effect"
import { bigint, integer, numeric, of, storable, text } from "@venue/postgres/Column"
import * as Table from "@venue/postgres/Table"
import type { SqlClient } from "effect/sql"
import * as Moments from "./Moments.ts"
import type { CommittedRow, TraderProjection } from "./Projection.ts"
import * as ReadTable from "./ReadTable.ts"

/** Counter-account of every credit; its balance is minus the total of all credits. */
export const fundingAccount = AccountId.make("venue/funding")

/** Account that pays for the operator's top-ups of reserve funds. Holds the venue's own money, not customers' money. */
export const operatorAccount = AccountId.make("venue/operator")

/** Account that pays referral rewards out of fees; its balance is minus the total of all rewards. */
export const referralAccount = AccountId.make("venue/referrals")

/** Counter-account outside the venue; its balance is the money paid out minus the money received on the rail. */
export const externalAccount = (rail: RailName): AccountId => AccountId.make(`external/${rail}`)

/** Account with the money of debited withdrawals that have neither arrived nor been returned. */
export const inFlightAccount = (rail: RailName): AccountId => AccountId.make(`treasury/in-flight/${rail}`)

/** Account with bank payments without a known recipient, until an operator assigns them or the bank recalls them. */
export const suspenseAccount = AccountId.make("suspense/bank")

/** Account with the venue's own money on its rails: amounts paid in minus amounts taken out. */
export const ownAccount = AccountId.make("venue/own")

export const withdrawalFeeAccount = AccountId.make("venue/fees/withdrawal")

/**
 * Account with the operator's payments into a market's reserve fund. The fund's own gains and losses are recorded in
 * the market's log and trades.
 */
export const reserveFundAccount = (symbol: MarketSymbol): AccountId => AccountId.make(`reserve-fund/${symbol}`)

/** The only asset of the ledger. */
const asset = "USD"

const ledgerEntryTable = Table.make("ledger_entry", {
  stream: text,
  seq: bigint,
  /** Number of the entry within the journal row, from 0. */
  place: integer,
  transactionId: text,
  kind: of(
    "text",
    Schema.Literals([
      "credit",
      "transfer",
      "top-up",
      "referral",
      "deposit",
      "deposit-reversal",
      "withdrawal",
      "withdrawal-return",
      "withdrawal-settlement",
      "suspense",
      "suspense-release",
      "own-money"
    ])
  ),
  account: text,
  asset: of("text", Schema.Literal(asset)),
  /** Signed, in 1e-6 USD. */
  amount: numeric,
  /** Operator's text, or a deposit's or withdrawal's reason tag, followed by the rail's code if there is one. */
  reason: text,
  atMillis: bigint
})
type LedgerEntry = Table.Row<typeof ledgerEntryTable>

const entries = ReadTable.make(ledgerEntryTable, { key: ({ place, seq, stream }) => `${stream} ${seq} ${place}` })

export const projection: TraderProjection = {
  group: "ledger",
  stream: traderStream,
  writes: (userId, rows) => [entries.write(entriesOf(traderStream(userId), rows, (event) => ofTrader(userId, event)))]
}

/**
 * Returns the ledger entries for a market's rows. They are written in the same group as the trades, because a
 * separate group would have to scan all older rows without entries.
 */
export const ofMarketRows = (
  symbol: MarketSymbol,
  rows: ReadonlyArray<CommittedRow<MarketEvent>>
): ReadTable.TableWrite => entries.write(entriesOf(marketStream(symbol), rows, (event) => ofMarket(symbol, event)))

export interface Move extends Pick<LedgerEntry, "transactionId" | "kind" | "reason" | "atMillis"> {
  readonly from: AccountId
  readonly to: AccountId
  readonly amount: bigint
}

const ofTrader = (userId: UserId, event: TraderEvent): Move | undefined => {
  switch (event._tag) {
    case "Credited": {
      const { accountId: to, amount, atMillis, creditId: transactionId, reason } = event
      return { transactionId, kind: "credit", from: fundingAccount, to, amount, reason, atMillis }
    }
    case "Transferred": {
      const { amount, atMillis, fromAccountId: from, toAccountId: to, transferId: transactionId } = event
      return { transactionId, kind: "transfer", from, to, amount, reason: "", atMillis }
    }
    case "ReferralsCredited": {
      const { amount, atMillis, day } = event
      const [from, to] = [referralAccount, primaryAccountOf(userId)]
      const transactionId = `referral/${userId}/${dateOf(day)}`
      return { transactionId, kind: "referral", from, to, amount, reason: "", atMillis }
    }
    case "Deposited": {
      const { amount, atMillis, depositId: transactionId, rail } = event
      const [from, to] = [externalAccount(rail), primaryAccountOf(userId)]
      return { transactionId, kind: "deposit", from, to, amount, reason: "", atMillis }
    }
    case "DepositReversed": {
      const { amount, atMillis, depositId, rail, reason } = event
      const [from, to] = [primaryAccountOf(userId), externalAccount(rail)]
      return { transactionId: `${depositId}/reversal`, kind: "deposit-reversal", from, to, amount, reason, atMillis }
    }
    case "WithdrawalAccepted": {
      const { amount, atMillis, method, withdrawalId: transactionId } = event
      const [from, to] = [primaryAccountOf(userId), inFlightAccount(railOf(method))]
      return { transactionId, kind: "withdrawal", from, to, amount, reason: "", atMillis }
    }
    case "WithdrawalReturned": {
      const { amount, atMillis, method, reason, withdrawalId } = event
      const [from, to] = [inFlightAccount(railOf(method)), primaryAccountOf(userId)]
      const transactionId = `${withdrawalId}/return`
      return { transactionId, kind: "withdrawal-return", from, to, amount, reason: textOf(reason), atMillis }
    }
    default:
      return undefined
  }
}

const textOf = (reason: EndReason): string => {
  if (reason._tag === "Rejected") return reason.text
  if (reason._tag === "Unknown") return reason.tag
  return "code" in reason && reason.code !== null ? `${reason._tag} ${reason.code}` : reason._tag
}

/** Returns the entries for a withdrawal that has arrived, which no journal row records. */
export const paidOut = (
  { amount, fee, rail, withdrawalId }: Arrived,
  step: number,
  atMillis: number
): ReadTable.TableWrite => {
  const about = {
    transactionId: `${withdrawalId}/settlement`,
    kind: "withdrawal-settlement",
    from: inFlightAccount(rail),
    reason: "",
    atMillis
  } as const
  const moves: ReadonlyArray<Move> = [
    { ...about, to: externalAccount(rail), amount: amount - fee },
    { ...about, to: withdrawalFeeAccount, amount: fee }
  ]
  return written(moves, `withdrawal/${withdrawalId}`, step)
}

/** Writes moves that no journal row records, as row `seq` of a separate stream. */
export const written = (moves: ReadonlyArray<Move>, stream: string, seq: number): ReadTable.TableWrite =>
  entries.write(moves.flatMap((move, at) => pairOf(move, stream, seq, at * 2)))

/** Returns the in-memory entries of a stream that `written` has filled. */
export const ofStream = (memory: ReadTable.Memory, of: string): ReadonlyArray<LedgerEntry> =>
  entries.rowsIn(memory).filter(({ stream }) => stream === of)

interface Arrived {
  readonly withdrawalId: string
  readonly rail: RailName
  readonly amount: bigint
  readonly fee: bigint
}

const ofMarket = (symbol: MarketSymbol, event: MarketEvent): Move | undefined => {
  if (event._tag !== "FundToppedUp") return undefined
  const { amount, atMillis, reason, topUpId: transactionId } = event
  const [from, to] = [operatorAccount, reserveFundAccount(symbol)]
  return { transactionId, kind: "top-up", from, to, amount: BigInt(amount), reason, atMillis }
}

const entriesOf = <Event>(
  stream: string,
  rows: ReadonlyArray<CommittedRow<Event>>,
  moveOf: (event: Event) => Move | undefined
): ReadonlyArray<LedgerEntry> =>
  rows.flatMap(({ events, seq }) => {
    const entries: Array<LedgerEntry> = []
    for (const event of events) {
      const move = moveOf(event)
      if (move === undefined) continue
      entries.push(...pairOf(move, stream, seq, entries.length))
    }
    return entries
  })

const pairOf = (
  { amount, from, to, ...about }: Move,
  stream: string,
  seq: number,
  place: number
): ReadonlyArray<LedgerEntry> => {
  const where = { ...about, stream, seq, asset } as const
  return [
    { ...where, place, account: to, amount },
    { ...where, place: place + 1, account: from, amount: -amount }
  ]
}

const sum = { schema: numeric.schema, expression: "coalesce(sum(amount), 0)::text" }
const balances = Table.selection({ sum })
const sums = Table.selection({ asset: { schema: Schema.String, expression: "asset" }, sum })
export type AssetSum = Table.Row<typeof sums>

/** Sum of all entries per asset, which is always zero. */
export const sumByAsset: ReadTable.ReadQuery<ReadonlyArray<AssetSum>> = {
  sql: (sql) => sums.all(sql`select ${sums.columns} from ledger_entry group by asset order by asset`),
  memory: (memory) => {
    const rows = entries.rowsIn(memory)
    return rows.length === 0 ? [] : [{ asset, sum: sumOf(rows) }]
  }
}

export const balance = (account: AccountId): ReadTable.ReadQuery<bigint> => ({
  sql: (sql) =>
    Effect.map(
      balances.all(sql`
        select ${balances.columns} from ledger_entry where account = ${storable(account)} and asset = ${asset}`),
      ([balance]) => balance!.sum
    ),
  memory: (memory) => sumOf(entries.rowsIn(memory).filter((entry) => entry.account === account))
})

const changes = Table.selection({
  moment: { schema: Schema.Number, expression: "moment" },
  amount: { schema: numeric.schema, expression: "sum(amount)::text" },
  deposited: { schema: numeric.schema, expression: "coalesce(sum(amount) filter (where is_deposit), 0)::text" }
})
/**
 * An account's cash at a moment, in 1e-6 USD, and the part of it that comes from deposits and transfers minus
 * withdrawals.
 */
export type Cash = Table.Row<typeof changes>

/** Returns the cash at each moment, computed from the entries before it. */
export const cashAt = (account: AccountId, moments: Moments.Moments): ReadTable.ReadQuery<ReadonlyArray<Cash>> => {
  const beforeMillis = Moments.last(moments) * quarterHourMillis
  const known = {
    sql: (sql: SqlClient.SqlClient) =>
      changes.all(
        sql`
        select ${changes.columns} from (
          select ${Moments.knowingColumn(sql, moments, `(at_millis / ${quarterHourMillis})::int`)} as moment, amount,
            kind in ${sql.in(depositKinds)} as is_deposit
          from ledger_entry
          where account = ${storable(account)} and asset = ${asset} and at_millis < ${BigInt(beforeMillis)}::bigint
        ) e
        group by moment order by moment`.unprepared
      ),
    memory: (memory: ReadTable.Memory) =>
      entries
        .rowsIn(memory)
        .filter((entry) => entry.account === account && entry.atMillis < beforeMillis)
        .map(({ amount, atMillis, kind }) => ({
          moment: Moments.knowing(moments, quarterHourOf(atMillis)),
          amount,
          deposited: depositKinds.includes(kind) ? amount : 0n
        }))
        .toSorted((a, b) => a.moment - b.moment)
  }
  return ReadTable.map(known, (rows) => summedUp(rows, moments))
}

const summedUp = (rows: ReadonlyArray<Cash>, moments: Moments.Moments): ReadonlyArray<Cash> => {
  let [next, amount, deposited] = [0, 0n, 0n]
  return Moments.all(moments).map((moment) => {
    for (; next < rows.length && rows[next]!.moment <= moment; next++) {
      amount += rows[next]!.amount
      deposited += rows[next]!.deposited
    }
    return { moment, amount, deposited }
  })
}

/** Kinds that count as deposits or withdrawals; all other kinds count as income. */
const depositKinds: ReadonlyArray<LedgerEntry["kind"]> = [
  "credit",
  "transfer",
  "deposit",
  "deposit-reversal",
  "withdrawal",
  "withdrawal-return"
]

const sumOf = (rows: ReadonlyArray<LedgerEntry>): bigint => rows.reduce((total, { amount }) => total + amount, 0n)
