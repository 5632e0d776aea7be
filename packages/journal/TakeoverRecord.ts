/** Encodes the content of takeover events in a market record, after the event's tag and time. */
import { type AccountId, isPrimary, primaryAccountOf } from "@venue/domain/AccountId"
import type { TakeoverClosed, TakeoverOpened } from "@venue/domain/Liquidation"
import type { UserId } from "@venue/domain/UserId"
import type { Reader, Writer } from "./Bytes.ts"
import { tags, uncoveredTakeover } from "./MarketCode.ts"

export type TakeoverEvent = TakeoverOpened | TakeoverClosed

export function tagOf(event: TakeoverEvent): number {
  return event._tag === "TakeoverClosed" && event.isUncovered ? uncoveredTakeover : tags[event._tag]
}

/** Returns the flag next to the tag. It means that the account is the user's primary account and is not written. */
export function isFlagged({ accountId, userId }: TakeoverEvent): boolean {
  return isPrimary(accountId, userId)
}

export function write(writer: Writer, event: TakeoverEvent): void {
  writer.id(event.takeoverId)
  writer.text(event.userId)
  if (!isFlagged(event)) writer.text(event.accountId)
  if (event._tag === "TakeoverClosed") return writer.number(event.leftLots)
  writer.number(event.expiresAtMillis)
  writer.number(event.quantityLots)
  writer.number(event.markE8)
  writer.number(event.share)
}

export function read(reader: Reader, _tag: TakeoverEvent["_tag"], flagged: boolean, atMillis: number): TakeoverEvent {
  const owner = readOwner(reader, flagged)
  if (_tag === "TakeoverClosed") return { _tag, ...owner, leftLots: reader.number(), atMillis }
  return {
    _tag,
    ...owner,
    expiresAtMillis: reader.number(),
    quantityLots: reader.number(),
    markE8: reader.number(),
    share: reader.number(),
    atMillis
  }
}

export function readUncovered(reader: Reader, flagged: boolean, atMillis: number): TakeoverClosed {
  const owner = readOwner(reader, flagged)
  return { _tag: "TakeoverClosed", ...owner, leftLots: reader.number(), isUncovered: true, atMillis }
}

function readOwner(reader: Reader, flagged: boolean) {
  const takeoverId = reader.id()
  const userId = reader.known<UserId>()
  return { takeoverId, userId, accountId: flagged ? primaryAccountOf(userId) : reader.known<AccountId>() }
}
