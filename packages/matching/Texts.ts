/** Many short texts packed into one run of bytes: client order ids, which would cost five times as much as strings. */
import { mix } from "./Uuid.ts"

/** A text has a handle until it is dropped; the empty text is handle 0 and takes no room. */
export interface Texts {
  data: Buffer
  /** In blocks of eight bytes; the first is never used. */
  used: number
  /** First free run of each length in blocks; a free run begins with the next one. */
  readonly free: Int32Array
  /** Texts that do not fit a byte a character or the longest run, under negative handles. */
  readonly odd: Map<number, string>
  nextOdd: number
}

export const make = (): Texts => ({
  data: Buffer.alloc(1024),
  used: 1,
  free: new Int32Array(longestRun + 1),
  odd: new Map(),
  nextOdd: -1
})

export const keep = (texts: Texts, text: string): number => {
  const length = text.length
  if (length === 0) return 0
  const blocks = length + 8 >> 3
  if (blocks > longestRun || !isLatin(text)) {
    const handle = texts.nextOdd--
    texts.odd.set(handle, text)
    return handle
  }
  const handle = take(texts, blocks)
  const { data } = texts
  let at = handle << 3
  data[at++] = length
  for (let i = 0; i < length; i++) data[at++] = text.charCodeAt(i)
  return handle
}

export const read = (texts: Texts, handle: number): string => {
  if (handle === 0) return ""
  if (handle < 0) return texts.odd.get(handle)!
  const at = handle << 3
  return texts.data.toString("latin1", at + 1, at + 1 + texts.data[at]!)
}

export const drop = (texts: Texts, handle: number): void => {
  if (handle < 0) texts.odd.delete(handle)
  if (handle <= 0) return
  const at = handle << 3
  const blocks = texts.data[at]! + 8 >> 3
  texts.data.writeInt32LE(texts.free[blocks]!, at)
  texts.free[blocks] = handle
}

export const is = (texts: Texts, handle: number, text: string): boolean => {
  if (handle <= 0) return read(texts, handle) === text
  const { data } = texts
  const at = handle << 3
  if (data[at] !== text.length) return false
  for (let i = 0; i < text.length; i++) if (data[at + 1 + i] !== text.charCodeAt(i)) return false
  return true
}

/** The same for a text as for its handle. */
export const hash = (text: string, seed: number): number => {
  let h = seed
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), prime)
  return mix(h)
}

export const hashOf = (texts: Texts, handle: number, seed: number): number => {
  if (handle <= 0) return hash(read(texts, handle), seed)
  const { data } = texts
  const first = (handle << 3) + 1
  const end = first + data[first - 1]!
  let h = seed
  for (let i = first; i < end; i++) h = Math.imul(h ^ data[i]!, prime)
  return mix(h)
}

const prime = 0x01000193

/** The longest client order id of 64 characters and its length need nine blocks. */
const longestRun = 9

function isLatin(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 255) return false
  return true
}

function take(texts: Texts, blocks: number): number {
  const free = texts.free[blocks]!
  if (free !== 0) {
    texts.free[blocks] = texts.data.readInt32LE(free << 3)
    return free
  }
  const handle = texts.used
  texts.used += blocks
  if (texts.used << 3 > texts.data.length) {
    const grown = Buffer.alloc(Math.ceil(texts.data.length * 1.25 / 8) * 8 + 1024)
    texts.data.copy(grown)
    texts.data = grown
  }
  return handle
}
