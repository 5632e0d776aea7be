/** Handles `POST /withdraw` and `POST /fiat-withdraw`. */
import { type Problems } from "@venue/api/Problem"
import { Caller } from "@venue/api/rest/Caller"
import { together } from "@venue/api/Together"
import { transferRefused } from "@venue/api/rest/Transfer"
import * as Amount from "@venue/api/treasury/Amount"
import { TreasuryApi } from "@venue/api/treasury/Api"
import { linkedDetailsRefused } from "@venue/api/treasury/BankAccount"
import * as Word from "@venue/api/treasury/Word"
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { Ids } from "@venue/cluster/clients/Ids"
import { noCost } from "@venue/cluster/protocol/Desk"
import { BankDetails, payoutFaultsOf } from "@venue/domain/BankAccount"
import type { UserId } from "@venue/domain/UserId"
import type { InsufficientBalance } from "@venue/domain/Trader"
import type { BelowMinimum, NotAboveFee, Withdraw } from "@venue/domain/Withdrawal"
import { RailProviders } from "@venue/providers/rails/RailProvider"
import { BankAccounts } from "@venue/storage/treasury/BankAccounts"
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { apiProblems } from "../http/ApiBaseUrl.ts"
import { group } from "../http/Endpoints.ts"
import { unconfirmed } from "../http/Refusal.ts"
import * as Repeatable from "../http/Repeatable.ts"
import * as Destination from "./Destination.ts"
import * as HoldReasons from "./HoldReasons.ts"

export interface WithdrawOptions {
  readonly newAddressHoldHours: () => number
}

export const layer = ({ newAddressHoldHours }: WithdrawOptions) =>
  group(
    TreasuryApi,
    "withdraw",
    Effect.fnUntraced(function* (handlers) {
      const accounts = yield* BankAccounts
      const holds = yield* HoldReasons.make(newAddressHoldHours)
      const rails = yield* RailProviders
      const refusals = yield* apiProblems
      const payingAccount = yield* Destination.payingAccount
      const send = yield* sending
      const refused = refusedBy(refusals)

      return handlers
        .handle(
          "withdraw",
          Effect.fnUntraced(function* ({ headers, payload }) {
            const { permissions, userId } = yield* Caller
            const name = payload.network ?? Word.defaultNetwork
            const network = yield* Effect.fromResult(Word.read(refusals, Word.network, "body.network", name))
            const token = rails.get(network)?.tokenContract
            const paying = yield* payingAccount(network)
            const { amount, destination } = yield* Effect.fromResult(
              together({
                destination: Destination.read(refusals, network, payload.address, token, paying),
                amount: Amount.read(refusals, network, payload.amount)
              })
            )
            if (!rails.has(network)) return yield* refusals.railNotConnected(network)
            const { isRegistered, reasons } = yield* holds.ofAddress(userId, network, destination)
            // A key that a builder obtained can withdraw only to registered addresses.
            if (!isRegistered && !permissions.has("deposit_withdraw"))
              return yield* refusals.addressNotRegistered(destination)
            const terms = { method: network, amount, destination, reasons }
            return Repeatable.answer(undefined, yield* send(userId, "POST /withdraw", headers, terms))
          }, Effect.catchTags(refused))
        )
        .handle(
          "fiatWithdraw",
          Effect.fnUntraced(function* ({ headers, payload }) {
            const { userId } = yield* Caller
            const read = Word.read(refusals, Word.payoutRail, "body.payment_rail", payload.payment_rail)
            const { amount, method } = yield* Effect.fromResult(
              together({
                currency: Word.read(refusals, Word.currency, "body.currency", payload.currency),
                method: read,
                // The rail determines the minimum and maximum amount.
                amount: Result.flatMap(read, (rail) => Amount.read(refusals, rail, payload.amount))
              })
            )
            const account = yield* accounts.find(userId, payload.account_id.toLowerCase())
            if (Option.isNone(account)) return yield* refusals.unknownBankAccount(payload.account_id)
            if (!rails.has("BANK")) return yield* refusals.railNotConnected("a bank")
            const { accountId: destination } = account.value
            // An account might have been linked under older rules than the bank applies now.
            const faults = Option.match(yield* accounts.details(destination), {
              onNone: () => [],
              onSome: (details) => payoutFaultsOf(decodeDetails(Redacted.value(details)))
            })
            if (faults.length > 0) return yield* linkedDetailsRefused(refusals, faults)
            const reasons = yield* holds.ofBankAccount(account.value)
            const terms = { method, amount, destination, reasons }
            return Repeatable.answer(undefined, yield* send(userId, "POST /fiat-withdraw", headers, terms))
          }, Effect.catchTags(refused))
        )
    })
  )

const decodeDetails = Schema.decodeUnknownSync(Schema.fromJsonString(BankDetails))

type Headers = Parameters<typeof Repeatable.requestOf>[2]
type Terms = Pick<Withdraw, "method" | "amount" | "destination" | "reasons">

/** Sends a withdrawal to its trader; returns whether the idempotency key was used before. Without a key, each request is new. */
const sending = Effect.gen(function* () {
  const desks = yield* DeskClient
  const ids = yield* Ids
  return Effect.fnUntraced(function* (userId: UserId, operation: string, headers: Headers, terms: Terms) {
    // The fingerprint omits the hold reasons, which might change between two equal requests.
    const content = [terms.method, String(terms.amount), terms.destination]
    const request = Repeatable.requestOf(userId, operation, headers, content)
    const withdrawalId = request?.requestId ?? ids.next().text
    const withdraw = { userId, cost: noCost, withdrawalId, ...terms, ...(request && { request }) }
    const isRepeat = yield* Repeatable.isRepeat(desks.ask(userId, (desk) => desk.Withdraw(withdraw)))
    yield* withoutBody
    return isRepeat
  })
})

/** Sends `content-length: 0`, because some clients wait for a body if the header is absent. */
const withoutBody = HttpEffect.appendPreResponseHandler((_, response) =>
  Effect.succeed(HttpServerResponse.setHeader(response, "content-length", "0"))
)

const refusedBy = (refusals: Problems) => {
  const tooLittle = (refusal: BelowMinimum | NotAboveFee) => Effect.fail(Amount.tooLittle(refusals, refusal))
  return {
    BelowMinimum: tooLittle,
    NotAboveFee: tooLittle,
    InsufficientBalance: (refusal: InsufficientBalance) => Effect.fail(transferRefused(refusals, refusal)),
    RequestKeyReused: () => Effect.fail(refusals.keyReused()),
    MarketsBehind: () => Effect.fail(refusals.draining()),
    WithdrawalsBlocked: () => Effect.fail(refusals.withdrawalsBlocked()),
    // The database failed before the trader received the request.
    DatabaseUnavailable: () => Effect.fail(refusals.draining()),
    ...unconfirmed(refusals)
  }
}
