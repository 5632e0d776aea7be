/** Many short texts packed into one run of bytes: client order ids, which would cost five times as much as strings. */
import { mix } from "./Uuid.ts"

/** What `toString("latin1", …)` calls; it is called on every fill. */
interface Latin extends Buffer {
  readonly latin1Slice: (start: number, end: number) => string
}

/** A text has a handle until it is dropped; the empty text is handle 0 and takes no room. */
export interface Texts {
  data: Latin
  /** The same memory by four bytes. */
  links: Int32Array
  /** In blocks of eight bytes; the first is never used. */
  used: number
  /** First free run of each length in blocks; a free run begins with the next one. */
  readonly free: Int32Array
  /** Texts that do not fit a byte a character or the longest run, under negative handles. */
  readonly odd: Map<number, string>
  nextOdd: number
  /** Of the text kept last; the same as `hash` gives. */
  hash: number
}

export const make = (): Texts => {
  const data = Buffer.alloc(1024) as Latin
  return {
    data,
    links: new Int32Array(data.buffer),
    used: 1,
    free: new Int32Array(longestRun + 1),
    odd: new Map(),
    nextOdd: -1,
    hash: 0
  }
}

export const keep = (texts: Texts, text: string): number => {
  const length = text.length
  if (length === 0) return 0
  const blocks = (length + 8) >> 3
  if (blocks > longestRun) return keepOdd(texts, text)
  const handle = take(texts, blocks)
  const { data } = texts
  const first = (handle << 3) + 1
  let h = 0
  let seen = 0
  data[first - 1] = length
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    data[first + i] = code
    seen |= code
    h = Math.imul(h ^ code, prime)
  }
  texts.hash = mix(h)
  if (seen < 256) return handle
  drop(texts, handle)
  return keepOdd(texts, text)
}

export const read = (texts: Texts, handle: number): string => {
  if (handle === 0) return ""
  if (handle < 0) return texts.odd.get(handle)!
  const at = handle << 3
  return texts.data.latin1Slice(at + 1, at + 1 + texts.data[at]!)
}

export const drop = (texts: Texts, handle: number): void => {
  if (handle < 0) texts.odd.delete(handle)
  if (handle <= 0) return
  const blocks = (texts.data[handle << 3]! + 8) >> 3
  texts.links[handle << 1] = texts.free[blocks]!
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

export const hash = (text: string): number => {
  let h = 0
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), prime)
  return mix(h)
}

/** The longest client order id of 64 characters and its length need nine blocks. */
const longestRun = 9
const prime = 0x01000193

function keepOdd(texts: Texts, text: string): number {
  const handle = texts.nextOdd--
  texts.odd.set(handle, text)
  texts.hash = hash(text)
  return handle
}

function take(texts: Texts, blocks: number): number {
  const free = texts.free[blocks]!
  if (free !== 0) {
    texts.free[blocks] = texts.links[free << 1]!
    return free
  }
  const handle = texts.used
  texts.used += blocks
  if (texts.used << 3 > texts.data.length) {
    const grown = Buffer.alloc((((texts.data.length * 1.125) >> 3) << 3) + 1024) as Latin
    texts.data.copy(grown)
    texts.data = grown
    texts.links = new Int32Array(grown.buffer)
  }
  return handle
}
