/** Wallet signatures: EIP-191, known as `personal_sign`. */
import { Result } from "effect"
import { Buffer } from "node:buffer"
import secp256k1 from "secp256k1"
import { hashMessage, keccak256 } from "viem/utils"

/** Returns true if a text is `0x` and 65 bytes in hexadecimal. Cheap, because it does not verify the signer. */
export const isWellFormed = (signature: string): boolean => pattern.test(signature)

/**
 * Returns the lower-case address whose key signed the text's UTF-8 bytes. Returns undefined unless the signature has
 * the canonical form: `0x`, then r, s and v in hexadecimal, with s in the lower half of its range and v equal to 0,
 * 1, 27 or 28.
 */
export const signerOf = (text: string, signature: string): string | undefined => {
  if (!isWellFormed(signature)) return undefined
  const hex = signature.slice(2).toLowerCase()
  const recoveryId = recoveryIds.get(hex.slice(128))
  if (recoveryId === undefined || hex.slice(64, 128) > highestS) return undefined
  const rAndS = Buffer.from(hex.slice(0, 128), "hex")
  // The library throws if r or s is out of range, or if no key can have produced them.
  const publicKey = Result.try(() => secp256k1.ecdsaRecover(rAndS, recoveryId, hashMessage(text, "bytes"), false))
  return Result.isSuccess(publicKey) ? `0x${keccak256(publicKey.success.subarray(1)).slice(-40)}` : undefined
}

const pattern = /^0x[0-9a-fA-F]{130}$/
const recoveryIds: ReadonlyMap<string, number> = new Map([
  ["00", 0],
  ["01", 1],
  ["1b", 0],
  ["1c", 1]
])
/** Half the order of the curve. A signature with a higher s has an equivalent second form, so it is refused. */
const highestS = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"
