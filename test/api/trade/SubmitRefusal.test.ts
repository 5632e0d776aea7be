import { message } from "@venue/api/trade/SubmitRefusal"
import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import { expect, it } from "vitest"

const symbol = "AAPL-USD"

it.each<readonly [refusal: SubmitRefusal, text: string]>([
  [{ _tag: "AccountLoading" }, "the account is still loading; nothing was done, try again"],
  [
    { _tag: "MarketSilent", symbol: MarketSymbol.make(symbol) },
    "orders cannot be recorded now in AAPL-USD or in another market where the account has a position; nothing was done, try again"
  ],
  [
    { _tag: "VenueCancelOnly" },
    "the venue currently accepts only cancellations; nothing was done, try again when trading resumes"
  ],
  [
    { _tag: "VenueHalted", publicReason: "Maintenance until 14:00 UTC." },
    "the venue is halted and accepts only cancellations; nothing was done, try again when trading resumes. Reason: Maintenance until 14:00 UTC."
  ],
  [{ _tag: "UnknownAccount", accountId: AccountId.make("7") }, "the user has no account 7"],
  [
    { _tag: "TooManyWaiting", symbol: MarketSymbol.make(symbol) },
    "too many orders are queued for AAPL-USD; nothing was done, try again"
  ],
  [{ _tag: "DeskOverloaded" }, "too many orders are queued; nothing was done, try again"],
  [{ _tag: "Faulted" }, "the command failed and its outcome is unknown; read the current state before you try again"],
  [
    { _tag: "DeskUnreachable" },
    "the desk of the account is unreachable and the outcome is unknown; read the current state before you try again"
  ]
])("a refusal by the desk states the reason and whether the order was placed (%o)", (refusal, text) => {
  expect(message(refusal)).toBe(text)
})
