/** TRON addresses: the byte 0x41, then the last 20 bytes of a public key's hash, which equal the key's EVM address. */
import { createBase58check } from "@scure/base"
import { Result } from "effect"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** 42 hexadecimal digits beginning with 41, the form that nodes use. */
export type AddressHex = string

/** Returns the form that users see, which begins with T. */
export const ofHex = (hex: AddressHex): string => base58check.encode(new Uint8Array(Buffer.from(hex, "hex")))

/** Returns the hexadecimal form, or undefined for other texts and non-canonical spellings. */
export const hexOf = (address: string): AddressHex | undefined => {
  const bytes = Result.getOrUndefined(Result.try(() => base58check.decode(address)))
  return bytes?.length === 21 && bytes[0] === prefix ? Buffer.from(bytes).toString("hex") : undefined
}

/** Returns true for an address that is not all zeros; no key exists for the all-zero address. */
export const isAddress = (address: string): boolean => !(hexOf(address) ?? nobody).endsWith(nobody)

/** Returns the TRON address of the key behind an EVM address (`0x…`). */
export const ofEvm = (address: string): string => ofHex(`41${address.slice(2).toLowerCase()}`)

/** Returns the 20 bytes that logs and the token use. */
export const bodyOf = (hex: AddressHex): string => hex.slice(2)

const nobody = "0".repeat(40)
const prefix = 0x41
const base58check = createBase58check((data) => new Uint8Array(createHash("sha256").update(data).digest()))
