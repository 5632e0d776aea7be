/** Encoding of a market's snapshot: one MessagePack value, followed by the outcomes of commands as raw bytes. */
import * as Engine from "@venue/matching/Engine"
import { pack, unpack } from "msgpackr"
import { Buffer } from "node:buffer"

/** Returns the parts of a snapshot in order. The outcomes are views of the engine's memory, not copies. */
export const encode = ({ outcomes, ...rest }: Engine.Snapshot): ReadonlyArray<Uint8Array> => {
  const value = pack(rest)
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(value.length)
  return [length, value, ...outcomes]
}

/** Returns undefined for a snapshot in a format that is no longer supported. */
export const decode = (state: Uint8Array): Engine.Snapshot | undefined => {
  const end = lengthBytes + Buffer.from(state.buffer, state.byteOffset, state.length).readUInt32BE()
  // An older format is one MessagePack value, whose first bytes read as a length beyond the end.
  if (end > state.length) return undefined
  const rest = unpack(state.subarray(lengthBytes, end)) as object
  return Engine.migrated({ ...rest, outcomes: [state.subarray(end)] })
}

const lengthBytes = 4
