/**
 * Hashes of rows, which the database can also compute, for detecting rows that change after they were read. A row's
 * hash is the first 64 bits of the MD5 of its bytes. Several rows' hash is the exclusive or of their hashes. MD5 is
 * available in every Postgres and suffices against errors. An attacker who can write to the database and to all its
 * backups is out of scope.
 */
import { hash } from "node:crypto"

/** Count and hash of the rows with one name, from `first` to `last`. */
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

/** Returns SQL that computes the same hash, for an expression of type text or bytea. */
export const inSql = (expression: string): string => `('x' || substr(md5(${expression}), 1, 16))::bit(64)::bigint`
