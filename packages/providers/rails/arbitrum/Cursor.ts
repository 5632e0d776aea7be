/**
 * How far the chain was read. The last block is named by its hash too, so that a reorganisation below it is noticed; then
 * everything after the block that was final is read again.
 */
import { Option, Schema } from "effect"
import type { BlockName } from "./Chain.ts"

const Name = Schema.Struct({ number: Schema.Int, hash: Schema.String })
const Text = Schema.fromJsonString(
  Schema.Struct({
    read: Name,
    final: Name,
    begun: Schema.optionalKey(Schema.Int),
    hot: Schema.optionalKey(Schema.String)
  })
)

export interface Cursor {
  /** All up to it was read. */
  readonly read: BlockName
  /** It is not above the former, and was final when that was read. */
  readonly final: BlockName
  /** Nothing of it is read again before this block, at which the venue began to read, or to read all that is read now. */
  readonly begun?: number
  /** The account that pays, once it is known: what comes to it was read too since then. */
  readonly hot?: string
}

export const decode = Schema.decodeUnknownEffect(Text)
export const encode: (cursor: Cursor) => string = Schema.encodeSync(Text)

export const payingAccountIn = (text: string): string | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Text)(text))?.hot

export interface Range {
  readonly from: number
  readonly to: number
}

/** Parts of at most `most` blocks, in their order. */
export const partsOf = ({ from, to }: Range, most: number): ReadonlyArray<Range> =>
  Array.from({ length: Math.max(0, Math.ceil((to - from + 1) / most)) }, (_, index) => ({
    from: from + index * most,
    to: Math.min(to, from + (index + 1) * most - 1)
  }))

/** The block to begin at, where this one is the next. */
export const from = (next: number, begun: number): number => Math.min(next, Math.max(begun, next - blocksAgain))

/**
 * Behind one address there may be several servers. One that is a little behind the one that told the head answers for logs as if
 * there were none, so that each block is read again until it is 64 deep, some 16 seconds.
 */
const blocksAgain = 64

/**
 * The next block, where `hashes` are those of the cursor's blocks now. Undefined where even the final one was
 * replaced.
 */
export const next = ({ final, read }: Cursor, hashes: { readonly read: string; readonly final: string }) => {
  if (hashes.read === read.hash) return read.number + 1
  return hashes.final === final.hash ? final.number + 1 : undefined
}
