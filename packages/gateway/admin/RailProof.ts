/**
 * Proof of the rails: compares holdings with the books, and reports credited balances that are not covered by money
 * on a rail.
 */
import { instant } from "@venue/api/Digits"
import type { AccountId } from "@venue/domain/AccountId"
import { decimalOfMoney } from "@venue/domain/Decimal"
import { assets, RailName } from "@venue/domain/Rail"
import { SimulatedRails } from "@venue/providers/rails/SimulatedRails"
import { RailAudits } from "@venue/storage/audit/RailAudits"
import * as LedgerEntries from "@venue/storage/history/LedgerEntries"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { RailHoldings } from "@venue/storage/treasury/RailHoldings"
import { Effect } from "effect"

export const make = Effect.gen(function* () {
  const audits = yield* RailAudits
  const holdings = yield* RailHoldings
  const simulated = yield* SimulatedRails
  const tables = yield* ReadTables
  const balanceOf = (account: AccountId) => tables.read(LedgerEntries.balance(account))
  /** Returns the amount that an account has paid out, which is its balance with the sign reversed. */
  const givenBy = (account: AccountId) => Effect.map(balanceOf(account), (balance) => -balance)

  /** Holdings of each rail from its newest audit, or as the rail reported them if it has no audit yet. */
  const rails = Effect.gen(function* () {
    const audited = new Map((yield* audits.newest).map((audit) => [audit.rail, audit]))
    const reported = new Map((yield* holdings.newest).map((report) => [report.rail, report]))
    return yield* Effect.forEach(RailName.literals, (rail) =>
      Effect.map(balanceOf(LedgerEntries.inFlightAccount(rail)), (inFlight) => {
        const audit = audited.get(rail)
        const held = audit ?? reported.get(rail)
        return {
          rail,
          asset: assets[rail],
          simulated: simulated.has(rail),
          position: held?.position ?? null,
          as_of: held === undefined ? null : instant(held.asOfMillis),
          holdings: held === undefined ? null : decimalOfMoney(held.amount),
          books: audit === undefined ? null : decimalOfMoney(audit.books),
          difference: audit === undefined ? null : decimalOfMoney(audit.amount - audit.books),
          uncredited: audit === undefined ? null : decimalOfMoney(audit.uncredited),
          in_flight: decimalOfMoney(inFlight)
        }
      })
    )
  })

  const uncovered = Effect.gen(function* () {
    const credits = yield* givenBy(LedgerEntries.fundingAccount)
    const reserveFunds = yield* givenBy(LedgerEntries.operatorAccount)
    const ofSimulated = yield* Effect.forEach(simulated.keys(), (rail) => givenBy(LedgerEntries.externalAccount(rail)))
    const simulatedRails = ofSimulated.reduce((sum, amount) => sum + amount, 0n)
    return {
      total: decimalOfMoney(credits + reserveFunds + simulatedRails),
      operator_credits: decimalOfMoney(credits),
      reserve_funds: decimalOfMoney(reserveFunds),
      simulated_rails: decimalOfMoney(simulatedRails)
    }
  })
  const suspense = Effect.map(balanceOf(LedgerEntries.suspenseAccount), decimalOfMoney)
  return Effect.all({ rails, suspense, uncovered })
})
