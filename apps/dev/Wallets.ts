/** The demo users' wallets. Their keys have no value elsewhere. */
import { checksummed } from "@venue/auth/wallet/WalletAddress"
import secp256k1 from "secp256k1"
import { hexToBytes, keccak256 } from "viem/utils"

/** Returns the checksummed address of a private key, which is `0x` and 64 hex digits. */
export const addressOf = (privateKey: string): string => {
  const publicKey = secp256k1.publicKeyCreate(hexToBytes(privateKey as `0x${string}`), false)
  return checksummed(`0x${keccak256(publicKey.subarray(1)).slice(-40)}`)
}
