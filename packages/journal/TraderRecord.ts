/** Encodes trader events for the journal: a version byte, then msgpack. The events are rare, so a simple format suffices. */
import type { TraderEvent } from "@venue/domain/Trader"
import { Packr } from "msgpackr"

const version = 1

export const encode = (events: ReadonlyArray<TraderEvent>): Uint8Array => {
  const packed = packr.pack(events)
  const bytes = new Uint8Array(packed.length + 1)
  bytes[0] = version
  bytes.set(packed, 1)
  return bytes
}

export const decode = (bytes: Uint8Array): Array<TraderEvent> => {
  if (bytes[0] !== version) throw new Error(`the trader record has the unknown version ${bytes[0]}`)
  return packr.unpack(bytes.subarray(1))
}

/** Writes plain maps, which every msgpack reader can read. Bigints of any size stay bigints. */
const packr = new Packr({ useRecords: false, int64AsType: "bigint", useBigIntExtension: true })
