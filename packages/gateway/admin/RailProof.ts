/** What each rail holds beside what the books say of it, and what accounts have that no money on a rail stands for. */
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
  /** These accounts are below zero by what they gave. */
  const givenBy = (account: AccountId) => Effect.map(balanceOf(account), (balance) => -balance)

  /** What an auditor has looked at, where it has; what only the rail has told, until then. */
  const rails = Effect.gen(function* () {
    const audited = new Map((yield* audits.newest).map((one) => [one.rail, one]))
    const told = new Map((yield* holdings.newest).map((one) => [one.rail, one]))
    return yield* Effect.forEach(RailName.literals, (rail) =>
      Effect.map(balanceOf(LedgerEntries.inFlightAccount(rail)), (inFlight) => {
        const found = audited.get(rail)
        const held = found ?? told.get(rail)
        return {
          rail,
          asset: assets[rail],
          simulated: simulated.has(rail),
          position: held?.position ?? null,
          as_of: held === undefined ? null : instant(held.asOfMillis),
          holdings: held === undefined ? null : decimalOfMoney(held.amount),
          books: found === undefined ? null : decimalOfMoney(found.books),
          difference: found === undefined ? null : decimalOfMoney(found.amount - found.books),
          uncredited: found === undefined ? null : decimalOfMoney(found.uncredited),
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
