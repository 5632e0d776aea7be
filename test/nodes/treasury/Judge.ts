/**
 * Checks every deposit and withdrawal of a run. The simulated rails' records of transfers, reversals and payments are
 * the truth. The balances expected from these records and the requests are compared with the venue's balances.
 */
import type { Work, WithdrawalAttempt } from "./Work.ts"
import { feeMicros, type Rail, railOf } from "./Plan.ts"
import type { VenueProcess } from "./VenueProcess.ts"

export type Fault = "lost" | "doubled" | "stuck" | "wrong"

export interface Finding {
  readonly fault: Fault
  readonly text: string
}

/** Rows of the tables, and balances from the venue's responses. */
export interface Evidence {
  readonly rails: ReadonlyArray<RailRecord>
  readonly deposits: ReadonlyArray<{
    readonly network: string
    readonly tx_hash: string
    readonly state: string
    readonly gone: boolean
  }>
  readonly withdrawals: ReadonlyArray<{
    readonly user_id: string
    readonly method: string
    readonly amount: string
    readonly destination: string
    readonly state: string
    readonly attempts: string
  }>
  readonly unevenTransactions: number
  /** Fault that the auditor reports, or null if it reports no fault. */
  readonly audited: string | null
  /** Sums of the ledger entries by account, in 1e-6 USD. */
  readonly entries: ReadonlyMap<string, bigint>
  /** Available balances by user, in 1e-6 USD. */
  readonly balances: ReadonlyArray<bigint>
}

interface RailRecord {
  readonly rail: Rail
  readonly transfers: ReadonlyArray<{
    readonly txHash: string
    readonly to: string
    readonly amount: string
    readonly isGone: boolean
  }>
  readonly payments: ReadonlyArray<{ readonly to: string; readonly amount: string; readonly fate: string }>
}

export const balancesOf = (venue: VenueProcess): Promise<ReadonlyArray<bigint>> =>
  Promise.all(
    venue.userIds().map(async (_, user) => {
      const { body, status } = await venue.asUser(user, "/user/subaccounts/balance")
      if (status !== 200) throw new Error(`the venue answered no balance: ${status} ${JSON.stringify(body)}`)
      const [account] = (body as { accounts: ReadonlyArray<{ available_balance: number }> }).accounts
      return BigInt(Math.round(account!.available_balance * 1e6))
    })
  )

export const gather = async (venue: VenueProcess): Promise<Evidence> => {
  const { query } = venue.database
  const states = await query<{ readonly rail: Rail; readonly state: string }>(`select rail, state from simulated_rail`)
  const uneven = await query(`select 1 from ledger_entry group by transaction_id, asset having sum(amount) <> 0`)
  const entries = await query<{ readonly account: string; readonly sum: string }>(
    `select account, sum(amount)::text as sum from ledger_entry group by account`
  )
  const [mode] = await query<{ readonly fault: string | null; readonly trading: string }>(
    `select fault, trading from venue_mode`
  )
  return {
    rails: states.flatMap(({ rail, state }) => (state === "" ? [] : [{ rail, ...JSON.parse(state) } as RailRecord])),
    deposits: await query(`select network, tx_hash, state, gone_since is not null as gone from deposit`),
    withdrawals: await query(`
      select user_id, method, amount::text, destination, state,
        (select count(*) from withdrawal_payment p where p.withdrawal_id = w.withdrawal_id)::text as attempts
      from withdrawal w`),
    unevenTransactions: uneven.length,
    audited: mode?.fault ?? (mode?.trading === "TRADING" ? null : `the venue is ${mode?.trading}`),
    entries: new Map(entries.map(({ account, sum }) => [account, BigInt(sum)])),
    balances: await balancesOf(venue)
  }
}

export interface Given {
  readonly userIds: ReadonlyArray<string>
  /** Balances by user before the run, in 1e-6 USD. */
  readonly before: ReadonlyArray<bigint>
  readonly work: Pick<Work, "addresses" | "attempts" | "transfers">
}

export const judge = (given: Given, evidence: Evidence): ReadonlyArray<Finding> => [
  ...ofDeposits(given, evidence),
  ...given.work.attempts.flatMap((attempt) => ofWithdrawal(given, evidence, attempt)),
  ...ofStrangers(given, evidence),
  ...ofBooks(given, evidence)
]

const finding = (fault: Fault, text: string): Finding => ({ fault, text })

const ofDeposits = ({ work }: Given, { deposits, rails }: Evidence): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const arrivals = rails.flatMap(({ rail, transfers }) => transfers.map((transfer) => ({ rail, ...transfer })))
  for (const { rail, txHash } of work.transfers)
    if (!arrivals.some((transfer) => transfer.rail === rail && transfer.txHash === txHash))
      findings.push(finding("wrong", `the rail lost transfer ${txHash}`))
  for (const { isGone, rail, txHash } of arrivals) {
    const rows = deposits.filter(({ network, tx_hash }) => network === rail && tx_hash === txHash)
    const [row] = rows
    const what = `deposit ${rail} ${txHash} is ${row?.state ?? "unknown"}${isGone ? ", and its money is gone" : ""}`
    if (rows.length > 1) findings.push(finding("doubled", `${what}: it has ${rows.length} rows`))
    else if (isGone && (row === undefined || row.state === "DROPPED" || row.state === "REVERSED")) continue
    else if (isGone) findings.push(finding("stuck", what))
    else if (row === undefined || row.state === "REVERSED" || row.state === "DROPPED")
      findings.push(finding("lost", what))
    else if (row.state !== "CREDITED" || row.gone) findings.push(finding("stuck", what))
  }
  return findings
}

/** Returns the rail's payments for the attempt. No other attempt has the same amount and destination. */
const paymentsOf = ({ rails }: Evidence, { destination, method, micros }: WithdrawalAttempt) =>
  rails
    .filter(({ rail }) => rail === railOf(method))
    .flatMap(({ payments }) => payments)
    .filter(
      ({ amount, fate, to }) =>
        fate === "pay" && BigInt(amount) === micros - feeMicros[method] && isSame(to, destination ?? "")
    )

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

const rowsOf = (
  { userIds }: Given,
  { withdrawals }: Evidence,
  { destination, method, micros, user }: WithdrawalAttempt
) =>
  withdrawals.filter(
    (row) =>
      row.user_id === userIds[user] &&
      row.method === method &&
      BigInt(row.amount) === micros &&
      (destination === null || isSame(row.destination, destination))
  )

const ofWithdrawal = (given: Given, evidence: Evidence, attempt: WithdrawalAttempt): ReadonlyArray<Finding> => {
  const rows = rowsOf(given, evidence, attempt)
  const paid = paymentsOf(evidence, attempt).length
  const [row] = rows
  const what = `withdrawal of ${attempt.micros} by ${attempt.method}, ${attempt.outcome}, is ${row?.state ?? "unknown"} and was paid ${paid} times`
  if (paid > 1 || rows.length > 1) return [finding("doubled", `${what}; it has ${rows.length} rows`)]
  if (attempt.outcome === "refused") return [finding("wrong", `${what}: ${JSON.stringify(attempt.answer)}`)]
  if (attempt.outcome === "due") return [finding("stuck", `${what}: the request has no answer`)]
  if (row === undefined) return attempt.outcome === "accepted" ? [finding("lost", what)] : []
  switch (row.state) {
    case "SETTLED":
      return paid === 1 ? [] : [finding("lost", what)]
    case "REJECTED":
    case "FAILED":
      return paid === 0 ? [] : [finding("doubled", what)]
    default:
      return [finding("stuck", `${what}, signed ${row.attempts} times`)]
  }
}

/** Returns a fault for each withdrawal or payment that no request caused. */
const ofStrangers = (given: Given, evidence: Evidence): ReadonlyArray<Finding> => {
  const known = given.work.attempts.reduce((sum, attempt) => sum + rowsOf(given, evidence, attempt).length, 0)
  const paid = given.work.attempts.reduce((sum, attempt) => sum + paymentsOf(evidence, attempt).length, 0)
  const all = evidence.rails.flatMap(({ payments }) => payments).filter(({ fate }) => fate === "pay").length
  return [
    ...(known === evidence.withdrawals.length
      ? []
      : [finding("wrong", `${evidence.withdrawals.length - known} withdrawals without a request`)]),
    ...(paid === all ? [] : [finding("doubled", `${all - paid} payments without a request`)])
  ]
}

const ofBooks = (given: Given, evidence: Evidence): ReadonlyArray<Finding> => {
  const { audited, balances, entries, rails, unevenTransactions } = evidence
  const findings: Array<Finding> = []
  const { before, userIds, work } = given
  if (unevenTransactions > 0)
    findings.push(finding("wrong", `${unevenTransactions} ledger transactions do not sum to zero`))
  if (audited !== null) findings.push(finding("wrong", `the auditor reports: ${audited}`))
  const all = [...entries.values()].reduce((sum, amount) => sum + amount, 0n)
  if (all !== 0n) findings.push(finding("wrong", `all ledger entries sum to ${all}`))
  const received = (addresses: Work["addresses"]) =>
    addresses.flatMap(({ rail, to }) =>
      rails
        .filter((record) => record.rail === rail)
        .flatMap(({ transfers }) => transfers)
        .filter((transfer) => transfer.to === to && !transfer.isGone)
        .map(({ amount }) => BigInt(amount))
    )
  for (const [user, userId] of userIds.entries()) {
    const deposited = sum(received(work.addresses.filter((address) => address.user === user)))
    const withdrawn = sum(
      work.attempts
        .filter((attempt) => attempt.user === user)
        .flatMap((attempt) =>
          paymentsOf(evidence, attempt).map(({ amount }) => BigInt(amount) + feeMicros[attempt.method])
        )
    )
    const expected = before[user]! + deposited - withdrawn
    const off = balances[user]! - expected
    if (off !== 0n)
      findings.push(finding(off < 0n ? "lost" : "doubled", `the balance of user ${user} is off by ${off}`))
    const booked = sum([...entries].flatMap(([account, amount]) => (account.endsWith(userId) ? [amount] : [])))
    if (booked !== balances[user])
      findings.push(
        finding("wrong", `the entries of user ${user} sum to ${booked}, and the balance is ${balances[user]}`)
      )
  }
  for (const { payments, rail, transfers } of rails) {
    const inFlight = entries.get(`treasury/in-flight/${rail}`) ?? 0n
    if (inFlight !== 0n) findings.push(finding("stuck", `${inFlight} is in flight on ${rail}`))
    const held = sum(transfers.filter(({ isGone }) => !isGone).map(({ amount }) => BigInt(amount)))
    const paid = sum(payments.filter(({ fate }) => fate === "pay").map(({ amount }) => BigInt(amount)))
    const booked = -(entries.get(`external/${rail}`) ?? 0n)
    if (booked !== held - paid)
      findings.push(finding("wrong", `${rail} holds ${held - paid}, and ${booked} by the books`))
  }
  return findings
}

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)
