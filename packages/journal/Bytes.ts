/** Compact binary encoding of numbers, texts and ids, from which records are built. */
import { Id, isSame, parse } from "@venue/domain/Id"
import { Buffer } from "node:buffer"

/*
 * A number      0xxxxxxx                     below 2^7
 *               10xxxxxx + 1 byte            below 2^14
 *               110xxxxx + 3 bytes           below 2^29
 *               11100000 + 6 bytes           below 2^48
 *               11100001 + 8 bytes           any other double
 * A text        length + latin1              up to 250 characters
 *               251 + 4 bytes + latin1
 *               252 + 4 bytes + utf-16       exact for every JavaScript string
 *               253 + 16 bytes               a lower-case uuid
 * An id         as its text; null as the empty text
 */
const int48 = 0xe0
const double = 0xe1
const longLatin = 251
const wide = 252
const uuid = 253

/** Writes values into one growing, reused buffer; `take` returns a copy of the written bytes. */
export class Writer {
  private bytes = Buffer.allocUnsafeSlow(1 << 16)
  private view = new DataView(this.bytes.buffer)
  private at = 0

  take(): Uint8Array {
    const taken = new Uint8Array(this.at)
    taken.set(this.bytes.subarray(0, this.at))
    this.at = 0
    return taken
  }

  /** Discards the written bytes; called after an encoder has thrown. */
  reset(): void {
    this.at = 0
  }

  byte(value: number): void {
    if (this.at === this.bytes.length) this.grow(1)
    this.bytes[this.at++] = value
  }

  number(value: number): void {
    if (this.at + 9 > this.bytes.length) this.grow(9)
    const bytes = this.bytes
    const small = value | 0
    if (small === value && small >= 0 && small < 0x20000000 && (small !== 0 || !Object.is(value, -0))) {
      if (small < 0x80) {
        bytes[this.at++] = small
      } else if (small < 0x4000) {
        bytes[this.at++] = 0x80 | (small >>> 8)
        bytes[this.at++] = small
      } else {
        this.view.setUint32(this.at, 0xc0000000 | small)
        this.at += 4
      }
    } else if (value > 0 && value < 0x1000000000000 && Math.floor(value) === value) {
      bytes[this.at] = int48
      const high = Math.floor(value / 0x100000000)
      this.view.setUint16(this.at + 1, high)
      this.view.setUint32(this.at + 3, value - high * 0x100000000)
      this.at += 7
    } else {
      bytes[this.at] = double
      this.view.setFloat64(this.at + 1, value)
      this.at += 9
    }
  }

  text(value: string): void {
    const id = parse(value)
    if (id !== undefined) return this.id(id)
    const length = value.length
    if (this.at + 5 + 2 * length > this.bytes.length) this.grow(5 + 2 * length)
    const bytes = this.bytes
    const start = this.at
    let at = start + (length <= 250 ? 1 : 5)
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0xff) return this.wideText(value)
      bytes[at++] = code
    }
    if (length <= 250) {
      bytes[start] = length
    } else {
      bytes[start] = longLatin
      this.view.setUint32(start + 1, length)
    }
    this.at = at
  }

  id(id: Id): void {
    if (this.at + 17 > this.bytes.length) this.grow(17)
    this.bytes[this.at] = uuid
    this.view.setInt32(this.at + 1, id.a)
    this.view.setInt32(this.at + 5, id.b)
    this.view.setInt32(this.at + 9, id.c)
    this.view.setInt32(this.at + 13, id.d)
    this.at += 17
  }

  idOrNull(id: Id | null): void {
    if (id === null) this.byte(0)
    else this.id(id)
  }

  private wideText(value: string): void {
    this.bytes[this.at] = wide
    this.view.setUint32(this.at + 1, value.length)
    this.bytes.write(value, this.at + 5, "utf16le")
    this.at += 5 + 2 * value.length
  }

  private grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.at + needed))
    larger.set(this.bytes.subarray(0, this.at))
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }
}

/** Reads bytes that a `Writer` has written. Throws when reading past the end. */
export class Reader {
  private readonly bytes: Uint8Array
  private readonly view: DataView
  private at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  get done(): boolean {
    return this.at === this.bytes.length
  }

  byte(): number {
    return this.view.getUint8(this.at++)
  }

  number(): number {
    const first = this.view.getUint8(this.at)
    if (first < 0x80) {
      this.at += 1
      return first
    }
    if (first < 0xc0) {
      this.at += 2
      return this.view.getUint16(this.at - 2) & 0x3fff
    }
    if (first < int48) {
      this.at += 4
      return this.view.getUint32(this.at - 4) & 0x1fffffff
    }
    if (first === int48) {
      this.at += 7
      return this.view.getUint16(this.at - 6) * 0x100000000 + this.view.getUint32(this.at - 4)
    }
    if (first !== double) throw new RangeError(`expected a number, but its first byte is ${first}`)
    this.at += 9
    return this.view.getFloat64(this.at - 8)
  }

  text(): string {
    const first = this.view.getUint8(this.at)
    if (first === uuid) return this.id().text
    this.at++
    if (first <= 250) return this.latin(first)
    const length = this.view.getUint32(this.at)
    this.at += 4
    if (first === longLatin) return this.latin(length)
    if (first !== wide) throw new RangeError(`expected a text, but its first byte is ${first}`)
    return this.chunk(2 * length).toString("utf16le")
  }

  id(): Id {
    const first = this.view.getUint8(this.at)
    if (first !== uuid) throw new RangeError(`expected an id, but its first byte is ${first}`)
    const at = this.at + 1
    this.at += 17
    const { view } = this
    return new Id(view.getInt32(at), view.getInt32(at + 4), view.getInt32(at + 8), view.getInt32(at + 12))
  }

  idOrNull(): Id | null {
    if (this.view.getUint8(this.at) !== 0) return this.id()
    this.at++
    return null
  }

  /**
   * Reads a text that is repeated often, such as a user id. A small cache lets an order book with many orders share
   * one string per id. Without the cache, the benchmark `recovery` is slower by a tenth or more.
   */
  known<Text extends string>(): Text {
    if (this.view.getUint8(this.at) !== uuid) return this.text() as Text
    const id = this.id()
    const slot = (id.a ^ id.d) & (knownSlots - 1)
    const known = knownIds[slot]
    if (known !== undefined && isSame(known, id)) return known.text as Text
    knownIds[slot] = id
    return id.text as Text
  }

  private latin(length: number): string {
    if (length > 8) return this.chunk(length).toString("latin1")
    let text = ""
    for (let i = 0; i < length; i++) text += String.fromCharCode(this.view.getUint8(this.at++))
    return text
  }

  private chunk(length: number): Buffer {
    if (this.at + length > this.bytes.length) throw new RangeError("a text extends past the end of its record")
    this.at += length
    return Buffer.from(this.bytes.buffer, this.bytes.byteOffset + this.at - length, length)
  }
}

const knownSlots = 4096
const knownIds: Array<Id | undefined> = new Array(knownSlots).fill(undefined)
