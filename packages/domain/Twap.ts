/**
 * TWAPs: large orders that the venue places in slices over time (rule 16). The schedule is in the trader's journal, the
 * progress in the market's log. Prices in ticks, quantities in lots, money in 1e-6 USD.
 */
import { Schema } from "effect"
import { AccountId } from "./AccountId.ts"
import { mix } from "./BitMix.ts"
import { commandEnvelope } from "./CommandEnvelope.ts"
import * as Id from "./Id.ts"
import { MarketSymbol } from "./MarketSymbol.ts"
import { Side } from "./Order.ts"
import { OrderRefusal } from "./Reject.ts"
import { UserId } from "./UserId.ts"

/** Id of the command that added the TWAP. */
export const TwapId = Id.Uuid.pipe(Schema.brand("TwapId"))
export type TwapId = typeof TwapId.Type

/** Terms that never change after acceptance. */
const terms = {
  twapId: TwapId,
  userId: UserId,
  accountId: AccountId,
  /** Client TWAP id; empty if the client sent none. */
  clientTwapId: Schema.String,
  side: Side,
  totalLots: Schema.Number,
  /** Number of slices; each has at most one order, its child. */
  slices: Schema.Number,
  intervalMillis: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** Worst fill price of a child; 0 if only the band limits the price. */
  worstTicks: Schema.Number,
  /** Builder code of the connection; empty without a builder code. */
  builderCode: Schema.String,
  /** Due time of the first slice. Every other slice is due one interval after the previous slice. */
  startMillis: Schema.Number,
  createdAtMillis: Schema.Number
}
/** Terms of a TWAP. */
export const TwapTerms = Schema.Struct(terms)
export type TwapTerms = typeof TwapTerms.Type

/** A TWAP with its progress in the market. Every recorded event contains it whole. */
export const Twap = Schema.Struct({
  ...terms,
  /** Newest slice whose child was placed or refused; 0 before the first. The market places only newer slices. */
  lastSlice: Schema.Number,
  filledLots: Schema.Number,
  /** Value of the fills at their prices, in 1e-6 USD. */
  filledValue: Schema.Number,
  /** Number of children with a fill. */
  filledSlices: Schema.Number,
  /** Refusal of the last child; null if it was accepted. */
  refusal: Schema.NullOr(Schema.Literals(["EXPIRED", ...OrderRefusal.literals])),
  updatedAtMillis: Schema.Number
})
export type Twap = typeof Twap.Type

/** Returns a TWAP without progress. */
export const unplaced = (accepted: TwapTerms, atMillis: number): Twap => ({
  ...accepted,
  lastSlice: 0,
  filledLots: 0,
  filledValue: 0,
  filledSlices: 0,
  refusal: null,
  updatedAtMillis: atMillis
})

/**
 * Reason for the end of a TWAP. `COMPLETED`: after the last slice. `REDUCED`: a reduce-only TWAP has no position
 * left. `REQUEST`: cancelled. `MARGIN`: a child failed the margin check. All others: the account was liquidated, or
 * the contract was split or delisted.
 */
export const TwapEnding = Schema.Literals([
  "COMPLETED",
  "REDUCED",
  "REQUEST",
  "MARGIN",
  "LIQUIDATION",
  "SPLIT",
  "DELISTING"
])
export type TwapEnding = typeof TwapEnding.Type

/** Status of a TWAP on the wire (rule 16.2). */
export const TwapStatus = Schema.Literals(["SCHEDULED", "ACTIVE", "COMPLETED", "CANCELLED"])
export type TwapStatus = typeof TwapStatus.Type

/** Returns the status of a TWAP that has not ended. */
export const statusAt = ({ startMillis }: Pick<TwapTerms, "startMillis">, atMillis: number): TwapStatus =>
  atMillis < startMillis ? "SCHEDULED" : "ACTIVE"

/** Returns the final status. A `COMPLETED` TWAP might have filled less than its quantity (rule 16.6). */
export const statusAfter = (ending: TwapEnding): "COMPLETED" | "CANCELLED" =>
  ending === "COMPLETED" || ending === "REDUCED" ? "COMPLETED" : "CANCELLED"

/**
 * Returns the id of a slice's only child, the same at every desk. Two slices of a TWAP never share an id: the last
 * words differ by a bijection of the slice number.
 */
export const childId = (twapId: TwapId, slice: number): Id.Id => {
  const { a, b, c, d } = Id.parse(twapId)!
  const first = slice * 4
  return Id.version4(a ^ mix(first), b ^ mix(first + 1), c ^ mix(first + 2), d ^ mix(first + 3))
}

const envelope = {
  /** Assigned once by the gateway; a repeat with the same id has no effect. */
  commandId: Id.schema,
  expiresAtMillis: Schema.Number,
  accountId: AccountId,
  symbol: MarketSymbol
}

/** Request for a TWAP. Decimals are the client's JSON numbers; the desk converts them to ticks and lots, or refuses. */
export const AddTwap = Schema.TaggedStruct("AddTwap", {
  ...envelope,
  side: Side,
  totalQuantity: Schema.Number,
  slices: Schema.Number,
  intervalSeconds: Schema.Number,
  reduceOnly: Schema.Boolean,
  clientTwapId: Schema.String,
  /** Due time of the first slice; 0 or a past time means immediately. */
  startMillis: Schema.Number,
  /** Worst price; 0 for no limit. */
  worstPrice: Schema.Number,
  builderCode: Schema.String
})
export type AddTwap = typeof AddTwap.Type

/** An invalid term of a request, and the bound for that term; 0 if the term has no bound. */
const flaw = {
  flaw: Schema.Literals([
    /** The symbol is not listed or does not trade. */
    "SYMBOL",
    /** The quantity is not a multiple of the lot, or the worst price not a multiple of the tick. */
    "LOT",
    "TICK",
    /** A slice is below the minimum or above the maximum quantity of an order. */
    "SLICE_TOO_SMALL",
    "SLICE_TOO_LARGE",
    /** A slice is below the minimum notional at the mark; the bound is the largest valid number of slices. */
    "SLICE_BELOW_NOTIONAL",
    "TOO_LARGE",
    /** The last slice would be due too far in the future. */
    "TOO_LONG",
    /** The account has the maximum number of TWAPs (rule 6.9). */
    "TOO_MANY",
    "IN_LIQUIDATION"
  ]),
  bound: Schema.Number
}
/** An invalid term of a request for a TWAP. */
export const TwapFlaw = Schema.Struct(flaw)
export type TwapFlaw = typeof TwapFlaw.Type

/** The request for a TWAP is invalid (rule 16.1). */
export class InvalidTwap extends Schema.TaggedError<InvalidTwap>()("InvalidTwap", flaw) {}

/** Opens a TWAP in its market, before its first child. */
export const OpenTwap = Schema.TaggedStruct("OpenTwap", { ...commandEnvelope, terms: TwapTerms })
export type OpenTwap = typeof OpenTwap.Type

/** Closes TWAPs of the account in their market. */
export const CloseTwaps = Schema.TaggedStruct("CloseTwaps", {
  ...commandEnvelope,
  twapIds: Schema.Array(TwapId),
  ending: TwapEnding
})
export type CloseTwaps = typeof CloseTwaps.Type

/** The market has opened a TWAP; its children follow. */
export interface TwapOpened {
  readonly _tag: "TwapOpened"
  readonly commandId: Id.Id
  readonly expiresAtMillis: number
  readonly twap: Twap
  readonly atMillis: number
}

/**
 * A slice is complete: its child was filled, partly filled, unfilled or refused. The child's events precede this
 * event.
 */
export interface TwapAdvanced {
  readonly _tag: "TwapAdvanced"
  readonly twap: Twap
  readonly atMillis: number
}

/** The market has closed a TWAP: no child follows, and the market drops its state. */
export interface TwapClosed {
  readonly _tag: "TwapClosed"
  /** Id of the command; null if the market closed the TWAP by itself. */
  readonly commandId: Id.Id | null
  readonly twap: Twap
  readonly ending: TwapEnding
  readonly atMillis: number
}
