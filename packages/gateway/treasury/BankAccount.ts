/** Handles `/bank-account`. */
import { schemaUri } from "@venue/api/Problem"
import { together } from "@venue/api/Together"
import { Caller } from "@venue/api/rest/Caller"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { bankDetails, detailsRefused } from "@venue/api/treasury/BankAccount"
import * as Word from "@venue/api/treasury/Word"
import { Ids } from "@venue/cluster/clients/Ids"
import { faultsOf, isKnown } from "@venue/domain/BankAccount"
import type { UserId } from "@venue/domain/UserId"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { Profiles } from "@venue/storage/access/Profiles"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { Withdrawals } from "@venue/storage/treasury/Withdrawals"
import { Effect, Redacted, Result } from "effect"
import { ApiBaseUrl, apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import * as AuditedChange from "./AuditedChange.ts"

export const layer = group(
  TreasuryApi,
  "bankAccount",
  Effect.fnUntraced(function* (handlers) {
    const baseUrl = yield* ApiBaseUrl
    const accounts = yield* BankAccounts
    const changed = yield* AuditedChange.make
    const ids = yield* Ids
    const profiles = yield* Profiles
    const rails = yield* RailProviders
    const withdrawals = yield* Withdrawals
    const refusals = yield* apiProblems
    const unknownOutcome = () => Effect.fail(refusals.deadlinePassed())
    /**
     * Removes the account before checking for unsettled withdrawals, so that the rail refuses any withdrawal accepted
     * after the check.
     */
    const unlink = Effect.fnUntraced(function* (userId: UserId, accountId: string) {
      const isRemoved = yield* accounts.remove(userId, accountId)
      if (isRemoved && (yield* withdrawals.sentTo(userId, accountId)).isUnsettled)
        return yield* refusals.bankAccountInUse(accountId)
      return isRemoved
    })

    return handlers
      .handle(
        "link",
        Effect.fnUntraced(
          function* ({ payload, query }) {
            const { userId } = yield* Caller
            // Without a bank rail, no bank account is stored.
            if (!rails.has("BANK")) return yield* refusals.railNotConnected("a bank")
            const details = bankDetails(payload)
            const holder = yield* profiles.find(userId)
            const faults = faultsOf(details, holder)
            yield* Effect.fromResult(
              together({
                currency: Word.read(refusals, Word.currency, "query.currency", query.currency),
                details: faults.length > 0 ? Result.fail(detailsRefused(refusals, faults)) : Result.void
              })
            )
            const accountId = ids.next().text
            const account = { accountId, userId, holderKnown: isKnown(holder), details: Redacted.make(details) }
            yield* changed(userId, accounts.link(account), ({ holderKnown }) => ({
              action: "bank_account_linked",
              facts: { accountId, holderKnown }
            }))
            return { $schema: schemaUri(baseUrl, "LinkBankAccountResponseBody"), id: accountId }
          },
          Effect.catchTags({
            TooManyBankAccounts: ({ limit }) => Effect.fail(refusals.tooManyBankAccounts(limit)),
            DatabaseUnavailable: unknownOutcome
          })
        )
      )
      .handle(
        "unlink",
        Effect.fnUntraced(
          function* ({ params }) {
            const { userId } = yield* Caller
            const accountId = params.id.toLowerCase()
            const removed = yield* changed(userId, unlink(userId, accountId), (isRemoved) =>
              isRemoved ? { action: "bank_account_removed", facts: { accountId } } : undefined
            )
            if (!removed) return yield* refusals.unknownBankAccount(accountId)
          },
          Effect.catchTag("DatabaseUnavailable", unknownOutcome)
        )
      )
  })
)
