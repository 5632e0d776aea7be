/** Reasons for which a desk sends no command to a market. A market's own refusals have separate statuses. */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { TwapFlaw } from "./Twap.ts"

/** The operator's public reason for traders; null or absent if none was given. */
const forTraders = { publicReason: Schema.optionalKey(Schema.NullOr(Schema.String)) }

/** Reason for which a desk sends no command to a market. */
export const SubmitRefusal = Schema.Union([
  /**
   * The trader is loading, or its former owner's commands are unresolved; the gateway retries until the command
   * expires.
   */
  Schema.TaggedStruct("AccountLoading", {}),
  /** This or another joined market has not proven recently that it can record orders (rule 21.5). */
  Schema.TaggedStruct("MarketSilent", { symbol: MarketSymbol }),
  /** The whole venue accepts only cancels. */
  Schema.TaggedStruct("VenueCancelOnly", forTraders),
  /** The venue is halted because its books are in doubt; it accepts only cancels. */
  Schema.TaggedStruct("VenueHalted", forTraders),
  Schema.TaggedStruct("UnknownAccount", { accountId: AccountId }),
  Schema.TaggedStruct("TooManyWaiting", { symbol: MarketSymbol }),
  /** The account has no such stop, or the stop's side or type differs from the request's. */
  Schema.TaggedStruct("NoSuchStop", {}),
  /** The terms of the TWAP are invalid. */
  Schema.TaggedStruct("InvalidTwap", TwapFlaw.fields),
  /** The connection was silent for so long that its orders are already being cancelled. */
  Schema.TaggedStruct("ConnectionEnded", {}),
  /** The desk's request queue on this node is full. */
  Schema.TaggedStruct("DeskOverloaded", {}),
  /** A fault occurred at the desk; the outcome of the command is unknown. */
  Schema.TaggedStruct("Faulted", {}),
  /** No desk responded before the command expired, so the outcome is unknown. */
  Schema.TaggedStruct("DeskUnreachable", {})
])
export type SubmitRefusal = typeof SubmitRefusal.Type
