/** Addresses of TRON: 0x41 and the last 20 bytes of the hash of a public key, which are those of an EVM address. */
import { createBase58check } from "@scure/base"
import { Result } from "effect"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"

/** 42 digits of hex, the first of which are 41: as nodes write addresses. */
export type AddressHex = string

/** In the form that people see, which begins with T. */
export const ofHex = (hex: AddressHex): string => base58check.encode(new Uint8Array(Buffer.from(hex, "hex")))

/** Undefined where it is no address of TRON, or not the one way to write it. */
export const hexOf = (address: string): AddressHex | undefined => {
  const bytes = Result.getOrUndefined(Result.try(() => base58check.decode(address)))
  return bytes?.length === 21 && bytes[0] === prefix ? Buffer.from(bytes).toString("hex") : undefined
}

/** Whether somebody may hold its key, as nobody does of the one that is all zeros. */
export const isAddress = (address: string): boolean => !(hexOf(address) ?? nobody).endsWith(nobody)

/** The address of the same key as an EVM address, which begins with 0x. */
export const ofEvm = (address: string): string => ofHex(`41${address.slice(2).toLowerCase()}`)

/** The 20 bytes that logs and the token know it by. */
export const bodyOf = (hex: AddressHex): string => hex.slice(2)

const nobody = "0".repeat(40)
const prefix = 0x41
const base58check = createBase58check((data) => new Uint8Array(createHash("sha256").update(data).digest()))
