import { message } from "@venue/api/trade/SubmitRefusal"
import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { SubmitRefusal } from "@venue/domain/SubmitRefusal"
import { expect, it } from "vitest"

const symbol = "AAPL-USD"

it.each<readonly [refusal: SubmitRefusal, said: string]>([
  [{ _tag: "AccountLoading" }, "the account is being loaded; not placed, try again"],
  [
    { _tag: "MarketSilent", symbol: MarketSymbol.make(symbol) },
    "AAPL-USD or a market you hold cannot record orders now; not placed, try again"
  ],
  [{ _tag: "VenueCancelOnly" }, "the venue accepts only cancels for now; not done, try again once it trades"],
  [
    { _tag: "VenueHalted", publicReason: "Maintenance until 14:00 UTC." },
    "the venue is halted and accepts only cancels for now; not done, try again once it trades: Maintenance until 14:00 UTC."
  ],
  [{ _tag: "UnknownAccount", accountId: AccountId.make("7") }, "no account 7"],
  [{ _tag: "TooManyWaiting", symbol: MarketSymbol.make(symbol) }, "too many orders wait for AAPL-USD; try again"],
  [{ _tag: "DeskOverloaded" }, "too many orders are waiting; not placed, try again"],
  [{ _tag: "Faulted" }, "it could not be processed; whether it was done is unknown"],
  [{ _tag: "DeskUnreachable" }, "no desk could be reached; whether it was done is unknown"]
])("a desk that hands an order on to no market says why, and whether it was placed (%o)", (refusal, said) => {
  expect(message(refusal)).toBe(said)
})
