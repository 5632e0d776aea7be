/** A market's state as its journal keeps it: most of it as one value, and what became of its commands as it lies in memory. */
import * as Engine from "@venue/matching/Engine"
import { pack, unpack } from "msgpackr"
import { Buffer } from "node:buffer"

/** The parts are written one after the other; those of the outcomes are not copies. */
export const encode = ({ outcomes, ...rest }: Engine.Snapshot): ReadonlyArray<Uint8Array> => {
  const value = pack(rest)
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(value.length)
  return [length, value, ...outcomes]
}

/** Undefined when the state has a shape that is no longer known. */
export const decode = (state: Uint8Array): Engine.Snapshot | undefined => {
  const end = lengthBytes + Buffer.from(state.buffer, state.byteOffset, state.length).readUInt32BE()
  // A state was once written as one value alone, which begins with bytes that would be too great a length.
  if (end > state.length) return undefined
  const rest = unpack(state.subarray(lengthBytes, end)) as object
  return Engine.migrated({ ...rest, outcomes: [state.subarray(end)] })
}

const lengthBytes = 4
