/** The subset of the protobuf encoding that TRON transactions need. */
import { Buffer } from "node:buffer"

/** Encodes an integer from 0 to 2^63 - 1. Zero is omitted, as in proto3. */
export const number = (field: number, value: number | bigint): Buffer =>
  BigInt(value) === 0n ? Buffer.alloc(0) : Buffer.concat([varint(field << 3), varint(value)])

export const bytes = (field: number, value: Uint8Array): Buffer =>
  Buffer.concat([varint((field << 3) | 2), varint(value.length), value])

const varint = (value: number | bigint): Buffer => {
  const digits: Array<number> = []
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...digits, Number(rest)])
    digits.push(Number(rest & 127n) | 128)
  }
}
