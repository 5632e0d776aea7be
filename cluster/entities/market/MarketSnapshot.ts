/** A market's state as its journal keeps it: most of it as one value, and what became of its commands as it lies in memory. */
import * as Engine from "@venue/matching/Engine"
import { pack, unpack } from "msgpackr"
import { Buffer } from "node:buffer"

/** Parts that are written one after the other; those of the outcomes are not copies. */
export const encode = ({ outcomes, ...rest }: Engine.Snapshot): ReadonlyArray<Uint8Array> => {
  const value = pack(rest)
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(value.length)
  return [length, value, ...outcomes]
}

/** Undefined when it is of a shape that is no longer written. */
export const decode = (state: Uint8Array): Engine.Snapshot | undefined => {
  const end = lengthBytes + Buffer.from(state.buffer, state.byteOffset, state.length).readUInt32BE()
  // One value alone, as it was once written, begins with what no length could be.
  if (end > state.length) return undefined
  const rest = unpack(state.subarray(lengthBytes, end)) as object
  const stored = { ...rest, outcomes: [state.subarray(end)] }
  return Engine.isReadable(stored) ? stored : undefined
}

const lengthBytes = 4
