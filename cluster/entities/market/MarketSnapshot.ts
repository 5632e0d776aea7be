/** Encoding of a market's snapshot: one MessagePack value, followed by the outcomes of commands as raw bytes. */
import * as Engine from "@venue/matching/Engine"
import { pack, unpack } from "msgpackr"
import { Buffer } from "node:buffer"

/** Returns a snapshot's parts in order. The outcomes are views of the engine's memory, not copies. */
export const encode = ({ outcomes, ...rest }: Engine.Snapshot): ReadonlyArray<Uint8Array> => {
  const value = pack(rest)
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(value.length)
  return [length, value, ...outcomes]
}

/** Returns the snapshot, or undefined if this release cannot read its version. */
export const decode = (state: Uint8Array): Engine.Snapshot | undefined => {
  const end = lengthBytes + Buffer.from(state.buffer, state.byteOffset, state.length).readUInt32BE()
  const rest = unpack(state.subarray(lengthBytes, end)) as object
  return Engine.readSnapshot({ ...rest, outcomes: [state.subarray(end)] })
}

const lengthBytes = 4
