/** Encodes TWAP events after tag and time. Each contains the whole TWAP, because each slice has only one event. */
import { type AccountId, isPrimary, primaryAccountOf } from "@venue/domain/AccountId"
import type { MarketEvent } from "@venue/domain/Market"
import type { Twap, TwapId } from "@venue/domain/Twap"
import type { UserId } from "@venue/domain/UserId"
import type { Reader, Writer } from "./Bytes.ts"
import { name, nameOrNull, names, sides, statuses, twapEndings } from "./MarketCode.ts"

type Tag = "TwapOpened" | "TwapAdvanced" | "TwapClosed"
type TwapEvent = Extract<MarketEvent, { readonly _tag: Tag }>

const sideOf = names(sides)
const statusOf = names(statuses)
const endingOf = names(twapEndings)

// Flags in the byte that also holds the TWAP's side.
const side = 3
const reduceOnly = 4
const accountIsUser = 8

export function write(writer: Writer, event: TwapEvent): void {
  writeTwap(writer, event.twap)
  switch (event._tag) {
    case "TwapOpened":
      writer.id(event.commandId)
      return writer.number(event.expiresAtMillis)
    case "TwapAdvanced":
      return
    case "TwapClosed":
      writer.idOrNull(event.commandId)
      return writer.byte(twapEndings[event.ending])
  }
}

export function read(reader: Reader, _tag: Tag, atMillis: number): TwapEvent {
  const twap = readTwap(reader)
  switch (_tag) {
    case "TwapOpened":
      return { _tag, commandId: reader.id(), expiresAtMillis: reader.number(), twap, atMillis }
    case "TwapAdvanced":
      return { _tag, twap, atMillis }
    case "TwapClosed":
      return { _tag, commandId: reader.idOrNull(), twap, ending: name(endingOf, reader.byte()), atMillis }
  }
}

function writeTwap(writer: Writer, twap: Twap): void {
  const own = isPrimary(twap.accountId, twap.userId)
  writer.byte(sides[twap.side] | (twap.reduceOnly ? reduceOnly : 0) | (own ? accountIsUser : 0))
  writer.byte(twap.refusal === null ? 0 : statuses[twap.refusal])
  for (const text of [twap.twapId, twap.userId]) writer.text(text)
  if (!own) writer.text(twap.accountId)
  for (const text of [twap.clientTwapId, twap.builderCode]) writer.text(text)
  writer.number(twap.totalLots)
  writer.number(twap.slices)
  writer.number(twap.intervalMillis)
  writer.number(twap.worstTicks)
  writer.number(twap.startMillis)
  writer.number(twap.createdAtMillis)
  writer.number(twap.lastSlice)
  writer.number(twap.filledLots)
  writer.number(twap.filledValue)
  writer.number(twap.filledSlices)
  writer.number(twap.updatedAtMillis)
}

function readTwap(reader: Reader): Twap {
  const first = reader.byte()
  const refusal = nameOrNull(statusOf, reader.byte())
  const twapId = reader.known<TwapId>()
  const userId = reader.known<UserId>()
  return {
    twapId,
    userId,
    accountId: (first & accountIsUser) !== 0 ? primaryAccountOf(userId) : reader.known<AccountId>(),
    clientTwapId: reader.text(),
    builderCode: reader.known(),
    side: name(sideOf, first & side),
    reduceOnly: (first & reduceOnly) !== 0,
    totalLots: reader.number(),
    slices: reader.number(),
    intervalMillis: reader.number(),
    worstTicks: reader.number(),
    startMillis: reader.number(),
    createdAtMillis: reader.number(),
    lastSlice: reader.number(),
    filledLots: reader.number(),
    filledValue: reader.number(),
    filledSlices: reader.number(),
    refusal,
    updatedAtMillis: reader.number()
  }
}
