/**
 * A TWAP: a large order that the venue places in parts, one after the other (rule 16). Its schedule is in the journal of the
 * trader, its progress in the log of the market. Prices in ticks, quantities in lots, money in 1e-6 USD.
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

/** The id of the command that added it. */
export const TwapId = Id.Uuid.pipe(Schema.brand("TwapId"))
export type TwapId = typeof TwapId.Type

/** What never changes of a TWAP once it was accepted. */
const terms = {
  twapId: TwapId,
  userId: UserId,
  accountId: AccountId,
  /** Empty when the client gave none. */
  clientTwapId: Schema.String,
  side: Side,
  totalLots: Schema.Number,
  /** It is placed in so many slices: each is at most one order, its child. */
  slices: Schema.Number,
  intervalMillis: Schema.Number,
  reduceOnly: Schema.Boolean,
  /** No child fills at a worse price; 0 where the band alone holds. */
  worstTicks: Schema.Number,
  /** Builder code of the connection; empty when there is none. */
  builderCode: Schema.String,
  /** The first slice is due then, and each of the others an interval later. */
  startMillis: Schema.Number,
  createdAtMillis: Schema.Number
}
export const TwapTerms = Schema.Struct(terms)
export type TwapTerms = typeof TwapTerms.Type

/** A TWAP as far as its market has come with it. Every recorded event carries it whole. */
export const Twap = Schema.Struct({
  ...terms,
  /** The newest whose child has come, whatever became of it; 0 before the first. None that is not newer is ever placed. */
  lastSlice: Schema.Number,
  filledLots: Schema.Number,
  /** What was filled is worth this, each part at its own price. */
  filledValue: Schema.Number,
  /** So many children filled something. */
  filledSlices: Schema.Number,
  /** The last child was refused for this. */
  refusal: Schema.NullOr(Schema.Literals(["EXPIRED", ...OrderRefusal.literals])),
  updatedAtMillis: Schema.Number
})
export type Twap = typeof Twap.Type

/** A TWAP of which nothing has been placed. */
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
 * Why a TWAP ended: its last slice has come, or, reduce-only, it has no position left to reduce; somebody asked for it, a
 * child failed the margin check, its account came into liquidation, or its contract was split or ended.
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

export const TwapStatus = Schema.Literals(["SCHEDULED", "ACTIVE", "COMPLETED", "CANCELLED"])
export type TwapStatus = typeof TwapStatus.Type

export const statusAt = ({ startMillis }: Pick<TwapTerms, "startMillis">, atMillis: number): TwapStatus =>
  atMillis < startMillis ? "SCHEDULED" : "ACTIVE"

/** It may be short of its quantity all the same. */
export const statusAfter = (ending: TwapEnding): "COMPLETED" | "CANCELLED" =>
  ending === "COMPLETED" || ending === "REDUCED" ? "COMPLETED" : "CANCELLED"

/**
 * Gives the id of the one child that a slice has for ever, whoever places it. No two slices of a TWAP share one: the last
 * words are told apart by a bijection of the slice's number.
 */
export const childId = (twapId: TwapId, slice: number): Id.Id => {
  const { a, b, c, d } = Id.parse(twapId)!
  const first = slice * 4
  return Id.version4(a ^ mix(first), b ^ mix(first + 1), c ^ mix(first + 2), d ^ mix(first + 3))
}

const envelope = {
  /** Chosen once at the edge; a repeat changes nothing. */
  commandId: Id.schema,
  expiresAtMillis: Schema.Number,
  accountId: AccountId,
  symbol: MarketSymbol
}

/** Decimals are the client's own JSON numbers; the desk turns them into ticks and lots or a refusal. */
export const AddTwap = Schema.TaggedStruct("AddTwap", {
  ...envelope,
  side: Side,
  totalQuantity: Schema.Number,
  slices: Schema.Number,
  intervalSeconds: Schema.Number,
  reduceOnly: Schema.Boolean,
  clientTwapId: Schema.String,
  /** 0 where the first slice is due at once; so is one that is due in the past. */
  startMillis: Schema.Number,
  /** 0 for none. */
  worstPrice: Schema.Number,
  builderCode: Schema.String
})
export type AddTwap = typeof AddTwap.Type

/** What of a TWAP does not fit, and the bound that it passes where there is one. */
const flaw = {
  flaw: Schema.Literals([
    /** Nobody lists its symbol, or nothing is traded there. */
    "SYMBOL",
    /** The quantity is no number of lots, or the worst price no number of ticks. */
    "LOT",
    "TICK",
    /** A slice is smaller or larger than an order may be, or all of it is worth more than can be counted. */
    "SLICE_TOO_SMALL",
    "SLICE_TOO_LARGE",
    /** A slice is worth less than the least value at the mark; the bound is the number of slices that would pass. */
    "SLICE_BELOW_NOTIONAL",
    "TOO_LARGE",
    /** It would last longer, or begin later, than a TWAP may. */
    "TOO_LONG",
    /** The account has as many as it may. */
    "TOO_MANY",
    "IN_LIQUIDATION"
  ]),
  bound: Schema.Number
}
export const TwapFlaw = Schema.Struct(flaw)
export type TwapFlaw = typeof TwapFlaw.Type

export class InvalidTwap extends Schema.TaggedError<InvalidTwap>()("InvalidTwap", flaw) {}

/** A TWAP of the account has begun, and its children will come. */
export const OpenTwap = Schema.TaggedStruct("OpenTwap", { ...commandEnvelope, terms: TwapTerms })
export type OpenTwap = typeof OpenTwap.Type

/** TWAPs of the account have ended. */
export const CloseTwaps = Schema.TaggedStruct("CloseTwaps", {
  ...commandEnvelope,
  twapIds: Schema.Array(TwapId),
  ending: TwapEnding
})
export type CloseTwaps = typeof CloseTwaps.Type

/** A trader's market learns of a TWAP before its first child. */
export interface TwapOpened {
  readonly _tag: "TwapOpened"
  readonly commandId: Id.Id
  readonly expiresAtMillis: number
  readonly twap: Twap
  readonly atMillis: number
}

/** A child has come: it was filled, in part or not at all, or refused. Its own events stand before this one. */
export interface TwapAdvanced {
  readonly _tag: "TwapAdvanced"
  readonly twap: Twap
  readonly atMillis: number
}

/** No child follows. Its market knows nothing more of it. */
export interface TwapClosed {
  readonly _tag: "TwapClosed"
  /** It is null where nobody asked. */
  readonly commandId: Id.Id | null
  readonly twap: Twap
  readonly ending: TwapEnding
  readonly atMillis: number
}
