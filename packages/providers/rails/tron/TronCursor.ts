/** Position of a scan: the last block read, and an earlier block that was already final. */
import type { AddressHex } from "./TronAddress.ts"

export interface TronCursor {
  readonly tip: BlockId
  readonly solid: BlockId
  /** The paying account once it is reported. From then on, transfers to this account are read too. */
  readonly hot: AddressHex | undefined
}

/** A block id begins with its number in 16 digits. */
export interface BlockId {
  readonly number: number
  readonly id: string
}

export const write = ({ hot, solid, tip }: TronCursor): string =>
  [tip.id, solid.id, ...(hot === undefined ? [] : [hot])].join(":")

/** Returns undefined for an invalid cursor. */
export const read = (cursor: string): TronCursor | undefined => {
  const [, tip, solid, hot] = /^([0-9a-f]{64}):([0-9a-f]{64})(?::(41[0-9a-f]{40}))?$/.exec(cursor) ?? []
  return tip === undefined || solid === undefined ? undefined : { tip: blockIdOf(tip), solid: blockIdOf(solid), hot }
}

const blockIdOf = (id: string): BlockId => ({ number: Number.parseInt(id.slice(0, 16), 16), id })
