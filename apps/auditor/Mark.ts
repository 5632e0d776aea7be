/**
 * Hashes of rows, which the database can take too: what was read once is held against what stands there now. Each row has the
 * first 64 bits of the MD5 of its bytes, and many rows together have the exclusive or of them: MD5 because every database has
 * it, and what is feared is an error, not somebody who can write into the database and to all backups of it.
 */
import { hash } from "node:crypto"

/** Rows of one name, from one number to another. */
export interface Mark {
  readonly name: string
  readonly first: number
  last: number
  count: number
  hash: bigint
}

export const none = 0n

export const ofText = (text: string): bigint => first64(hash("md5", text))

export const ofBytes = (bytes: Uint8Array): bigint => first64(hash("md5", bytes))

const first64 = (hex: string): bigint => BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`))

/** The same in the database, of an expression that is text or bytes. */
export const inSql = (expression: string): string => `('x' || substr(md5(${expression}), 1, 16))::bit(64)::bigint`
