/** Why a desk handed an order on to no market. What a market refuses is recorded there and has a name of its own. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { TwapFlaw } from "./Twap.ts"

/** What the operator says to traders; null or left out where nothing was said. */
const forTraders = { publicReason: Schema.optionalKey(Schema.NullOr(Schema.String)) }

export const SubmitRefusal = Schema.Union([
  /** The trader is not here, or what a former owner of it handed on is not known: it is asked again until its expiry is past. */
  Schema.TaggedStruct("AccountLoading", {}),
  /** This market, or one that the user has joined, has not shown lately that it can record an order. */
  Schema.TaggedStruct("MarketSilent", { symbol: MarketSymbol }),
  /** Neither an order nor a modification is let in anywhere; cancels are. */
  Schema.TaggedStruct("VenueCancelOnly", forTraders),
  /** The same while the books of the venue are in doubt. */
  Schema.TaggedStruct("VenueHalted", forTraders),
  Schema.TaggedStruct("UnknownAccount", { accountId: AccountId }),
  Schema.TaggedStruct("TooManyWaiting", { symbol: MarketSymbol }),
  /** The account has no such stop, or it is unlike what was said of it. */
  Schema.TaggedStruct("NoSuchStop", {}),
  /** What was asked of a TWAP does not fit. */
  Schema.TaggedStruct("InvalidTwap", TwapFlaw.fields),
  /** Nobody had heard of the connection for so long that its armed cancel began. */
  Schema.TaggedStruct("ConnectionEnded", {}),
  /** More wait for the desk itself than a node keeps. */
  Schema.TaggedStruct("DeskOverloaded", {}),
  /** Whether it was done is unknown; so with the next, which no desk answered before its expiry was past. */
  Schema.TaggedStruct("Faulted", {}),
  Schema.TaggedStruct("DeskUnreachable", {})
])
export type SubmitRefusal = typeof SubmitRefusal.Type
