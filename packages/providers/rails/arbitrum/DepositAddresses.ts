/** Deposit addresses, derived from one extended public key, which cannot spend. */
import { Result } from "effect"
import { ECDH } from "node:crypto"
import { bytesToHex } from "viem"
import { HDKey, publicKeyToAddress } from "viem/accounts"

/** Index of the account that pays the gas for sweeps. Deposit addresses have smaller indices. */
export const gasPayerIndex = 0x7fff_ffff

export type AddressAt = (index: number) => string

/** Returns checksummed addresses. A failure states the valid form. */
export const make = (xpub: string): Result.Result<AddressAt, string> => {
  const parsed = Result.try(() => HDKey.fromExtendedKey(xpub))
  if (Result.isFailure(parsed)) return Result.fail("an extended public key, which begins with xpub")
  if (parsed.success.privateKey !== null)
    return Result.fail("an extended public key; this one is private and belongs in the wallet only")
  return Result.succeed((index) => addressOf(parsed.success.deriveChild(index)))
}

/** Returns the address of a key with or without its private half. */
export const addressOf = ({ publicKey }: HDKey): string => {
  const point = ECDH.convertKey(publicKey!, "secp256k1", undefined, undefined, "uncompressed") as Buffer
  return publicKeyToAddress(bytesToHex(point))
}
