/**
 * Position of a scan. Includes the hash of the last block, which reveals a reorganisation of earlier blocks;
 * everything after the last final block is then read again.
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
  /** Last block read. */
  readonly read: BlockName
  /** A final block at or below `read`, final at the time of reading. */
  readonly final: BlockName
  /** First block ever read with the present set of accounts; earlier blocks are never read again. */
  readonly begun?: number
  /** The paying account once it is reported. From then on, transfers to this account are read too. */
  readonly hot?: string
}

export const decode = Schema.decodeUnknownEffect(Text)
export const encode: (cursor: Cursor) => string = Schema.encodeSync(Text)

export const payingAccountIn = (text: string): string | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Text)(text))?.hot

/** Returns the last block read, or undefined for an invalid cursor. */
export const readBlockIn = (text: string): number | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Text)(text))?.read.number

export interface Range {
  readonly from: number
  readonly to: number
}

/** Splits a range into parts of at most `most` blocks, in order. */
export const partsOf = ({ from, to }: Range, most: number): ReadonlyArray<Range> =>
  Array.from({ length: Math.max(0, Math.ceil((to - from + 1) / most)) }, (_, index) => ({
    from: from + index * most,
    to: Math.min(to, from + (index + 1) * most - 1)
  }))

/** Returns the first block to read. It lies before `next`, because recent blocks are read again. */
export const from = (next: number, begun: number): number => Math.min(next, Math.max(begun, next - blocksAgain))

/**
 * Number of recent blocks to read again, about 16 s. Several servers might share one URL, and a server that lags
 * behind the reported head returns empty logs.
 */
const blocksAgain = 64

/**
 * Returns the next block to read, given the current hashes of the cursor's blocks, or undefined if even the final
 * block was replaced.
 */
export const next = ({ final, read }: Cursor, hashes: { readonly read: string; readonly final: string }) => {
  if (hashes.read === read.hash) return read.number + 1
  return hashes.final === final.hash ? final.number + 1 : undefined
}
