/** The deposit addresses: children of one extended public key, from which nobody can spend. */
import { Result } from "effect"
import { ECDH } from "node:crypto"
import { bytesToHex } from "viem"
import { HDKey, publicKeyToAddress } from "viem/accounts"

/** Deposit addresses have smaller numbers; this child pays for the sweeping of them. */
export const gasPayerIndex = 0x7fff_ffff

export type AddressAt = (index: number) => string

/** Addresses are in the form with a checksum. A failure says what would be right. */
export const make = (xpub: string): Result.Result<AddressAt, string> => {
  const parsed = Result.try(() => HDKey.fromExtendedKey(xpub))
  if (Result.isFailure(parsed)) return Result.fail("an extended public key, which begins with xpub")
  if (parsed.success.privateKey !== null)
    return Result.fail("an extended public key; this one is private, and belongs to the wallet alone")
  return Result.succeed((index) => addressOf(parsed.success.deriveChild(index)))
}

/** Of a key with or without its private half. */
export const addressOf = ({ publicKey }: HDKey): string => {
  const point = ECDH.convertKey(publicKey!, "secp256k1", undefined, undefined, "uncompressed") as Buffer
  return publicKeyToAddress(bytesToHex(point))
}
