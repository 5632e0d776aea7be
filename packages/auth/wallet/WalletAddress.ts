/** The addresses of wallets, and how they may be written. */
import { getAddress } from "viem/utils"

/** The address, `0x` and 40 hex digits of any case, in the letter case that EIP-55 gives it as a checksum. */
export const checksummed = (address: string): string => getAddress(address)

/**
 * Is this text the address of a wallet, in a letter case the rule admits? Mixed case is only ever good as a checksum,
 * and nobody holds the key of the zero address.
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
