/** Encodes the content of events that concern a whole market, after the event's tag and time. */
import type { MarketEvent, Priced } from "@venue/domain/Market"
import type { UserId } from "@venue/domain/UserId"
import type { Reader, Writer } from "./Bytes.ts"
import { name, names, priceSources, tradingStates } from "./MarketCode.ts"

type Tag =
  | "Priced"
  | "Sampled"
  | "Funded"
  | "DividendPaid"
  | "TradingStateChanged"
  | "SettlementBegan"
  | "ContractSplit"
  | "LimitsSet"
  | "HoldersCounted"
  | "BuilderIntroduced"
  | "FundToppedUp"
export type MarketWide = Extract<MarketEvent, { readonly _tag: Tag }>

const sourceOf = names(priceSources)
/** Flag next to the price source: the last fresh mark price differs from the mark price and is written at the end. */
const freshMarkApart = 128
const tradingStateOf = names(tradingStates)

/** Returns the boolean of the event that is encoded as the flag next to its tag. */
export function isFlagged(event: MarketWide): boolean {
  switch (event._tag) {
    case "Priced":
      return event.paused
    case "Sampled":
      return event.premiumE10 === null
    case "Funded":
      return event.skipped
    default:
      return false
  }
}

export function write(writer: Writer, event: MarketWide): void {
  switch (event._tag) {
    case "Priced": {
      const isApart = event.freshMarkE8 !== event.markE8
      writer.byte(priceSources[event.source] | (isApart ? freshMarkApart : 0))
      writer.number(event.toldE8)
      writer.number(event.toldAtMillis)
      writer.number(event.rejections)
      writer.number(event.bidTicks)
      writer.number(event.askTicks)
      writer.number(event.oracleE8)
      writer.number(event.markE8)
      writer.number(event.premiumE8)
      writer.number(event.lowerTicks)
      writer.number(event.upperTicks)
      writer.number(event.minPriceTicks)
      writer.number(event.maxPriceTicks)
      writer.number(event.limitShareBps)
      if (isApart) writer.number(event.freshMarkE8)
      return writer.number(event.openInterestLots)
    }
    case "Sampled":
      return event.premiumE10 === null ? undefined : writer.number(event.premiumE10)
    case "Funded":
      writer.number(event.rateE12)
      writer.number(event.markE8)
      writer.number(event.remainder)
      return writer.number(event.fromMillis)
    case "DividendPaid":
      writer.number(event.exDay)
      writer.number(event.perUnitE8)
      return writer.number(event.remainder)
    case "TradingStateChanged":
      return writer.byte(tradingStates[event.state])
    case "LimitsSet":
      writer.number(event.minQuantityLots)
      writer.number(event.maxQuantityLots)
      writer.number(event.positionUsd)
      return writer.number(event.openInterestUsd)
    case "HoldersCounted":
      writer.number(event.longUsers)
      return writer.number(event.shortUsers)
    case "ContractSplit":
      writer.number(event.exDay)
      writer.number(event.numerator)
      writer.number(event.denominator)
      writer.number(event.markE8)
      writer.number(event.fundLots)
      return writer.number(event.remainder)
    case "SettlementBegan":
      writer.number(event.averageE8)
      return writer.number(event.priceTicks)
    case "BuilderIntroduced":
      writer.text(event.builderCode)
      writer.text(event.ownerId)
      writer.number(event.venueBps)
      return writer.number(event.builderBps)
    case "FundToppedUp":
      writer.text(event.topUpId)
      writer.number(event.amount)
      return writer.text(event.reason)
  }
}

export function read(reader: Reader, _tag: Tag, flagged: boolean, atMillis: number): MarketWide {
  switch (_tag) {
    case "Priced":
      return readPriced(reader, flagged, atMillis)
    case "Sampled":
      return { _tag, premiumE10: flagged ? null : reader.number(), atMillis }
    case "Funded":
      return {
        _tag,
        rateE12: reader.number(),
        markE8: reader.number(),
        remainder: reader.number(),
        fromMillis: reader.number(),
        skipped: flagged,
        atMillis
      }
    case "DividendPaid":
      return { _tag, exDay: reader.number(), perUnitE8: reader.number(), remainder: reader.number(), atMillis }
    case "TradingStateChanged":
      return { _tag, state: name(tradingStateOf, reader.byte()), atMillis }
    case "LimitsSet":
      return {
        _tag,
        minQuantityLots: reader.number(),
        maxQuantityLots: reader.number(),
        positionUsd: reader.number(),
        openInterestUsd: reader.number(),
        atMillis
      }
    case "HoldersCounted":
      return { _tag, longUsers: reader.number(), shortUsers: reader.number(), atMillis }
    case "ContractSplit":
      return {
        _tag,
        exDay: reader.number(),
        numerator: reader.number(),
        denominator: reader.number(),
        markE8: reader.number(),
        fundLots: reader.number(),
        remainder: reader.number(),
        atMillis
      }
    case "SettlementBegan":
      return { _tag, averageE8: reader.number(), priceTicks: reader.number(), atMillis }
    case "BuilderIntroduced":
      return {
        _tag,
        builderCode: reader.text(),
        ownerId: reader.known<UserId>(),
        venueBps: reader.number(),
        builderBps: reader.number(),
        atMillis
      }
    case "FundToppedUp":
      return { _tag, topUpId: reader.text(), amount: reader.number(), reason: reader.text(), atMillis }
  }
}

function readPriced(reader: Reader, paused: boolean, atMillis: number): Priced {
  const first = reader.byte()
  const prices = {
    source: name(sourceOf, first & ~freshMarkApart),
    toldE8: reader.number(),
    toldAtMillis: reader.number(),
    rejections: reader.number(),
    paused,
    bidTicks: reader.number(),
    askTicks: reader.number(),
    oracleE8: reader.number(),
    markE8: reader.number(),
    premiumE8: reader.number(),
    lowerTicks: reader.number(),
    upperTicks: reader.number(),
    minPriceTicks: reader.number(),
    maxPriceTicks: reader.number(),
    limitShareBps: reader.number()
  }
  const freshMarkE8 = (first & freshMarkApart) === 0 ? prices.markE8 : reader.number()
  return { _tag: "Priced", ...prices, freshMarkE8, openInterestLots: reader.number(), atMillis }
}
