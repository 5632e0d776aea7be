/** DER encoding of the few ASN.1 types that an X.509 certificate needs (ITU-T X.690). */
import { Buffer } from "node:buffer"

type Bytes = Uint8Array

const value = (tag: number, ...parts: ReadonlyArray<Bytes>): Bytes => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Uint8Array.from([tag, ...size]), content])
}

export const sequence = (...parts: ReadonlyArray<Bytes>): Bytes => value(0x30, ...parts)
export const set = (...parts: ReadonlyArray<Bytes>): Bytes => value(0x31, ...parts)
export const octets = (bytes: Bytes): Bytes => value(0x04, bytes)
export const bits = (bytes: Bytes, unused = 0): Bytes => value(0x03, Uint8Array.of(unused), bytes)
export const text = (content: string): Bytes => value(0x0c, Buffer.from(content, "utf8"))
export const yes: Bytes = value(0x01, Uint8Array.of(0xff))
/** A value with a context-specific tag. */
export const tagged = (tag: number, content: Bytes): Bytes => value(0xa0 | tag, content)

/** A positive integer from its big-endian bytes, of which the first is below 128. */
export const integer = (bytes: Bytes): Bytes => value(0x02, bytes)

export const objectId = (dotted: string): Bytes => {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number)
  return value(0x06, Uint8Array.from([first * 40 + second, ...rest.flatMap(base128)]))
}

const base128 = (arc: number): ReadonlyArray<number> => {
  const digits = [arc & 0x7f]
  for (let left = arc >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80)
  return digits
}

/** A time before the year 2050, as UTCTime. */
export const time = (millis: number): Bytes =>
  value(0x17, Buffer.from(`${new Date(millis).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`, "latin1"))
