/** Wallet addresses and their spellings. */
import { getAddress } from "viem/utils"

/** Returns the address (`0x` and 40 hexadecimal digits) with its EIP-55 checksum. */
export const checksummed = (address: string): string => getAddress(address)

/**
 * Returns true for a wallet address in a letter case that the rule allows. Mixed case must be a correct checksum. The
 * zero address is refused because no key belongs to it.
 */
export const isAddress = (text: string, rule: "checksummed" | "checksummed or lower case" | "any case"): boolean => {
  if (!pattern.test(text) || text === zero) return false
  const digits = text.slice(2)
  return (
    text === checksummed(text) ||
    (rule !== "checksummed" && digits === digits.toLowerCase()) ||
    (rule === "any case" && digits === digits.toUpperCase())
  )
}

const pattern = /^0x[0-9a-fA-F]{40}$/
const zero = `0x${"0".repeat(40)}`
