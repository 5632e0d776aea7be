/**
 * The venue's transactions on TRON: calls to the token's `transfer`, built here byte by byte. A transaction that a
 * node has built is never signed, because its content would be unverified.
 */
import { Redacted, Result } from "effect"
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import secp256k1 from "secp256k1"
import { keccak256 } from "viem"
import type { TronPayment } from "../SigningOrder.ts"
import * as Protobuf from "./Protobuf.ts"
import * as TronAddress from "./TronAddress.ts"

export interface Transfer {
  readonly from: TronAddress.AddressHex
  readonly to: TronAddress.AddressHex
  readonly token: TronAddress.AddressHex
  /** In 1e-6 of the token. */
  readonly amount: bigint
  /** A recent block. The transaction is valid only on the chain that contains this block. */
  readonly refBlockId: string
  /** Latest block time that can include the transaction. */
  readonly expirationMillis: number
  readonly timestampMillis: number
  /** Maximum TRX burnt for the transaction, in 1e-6 TRX. */
  readonly feeLimit: number
}

/** Returns the bytes that are hashed, signed and sent. */
export const rawOf = (transfer: Transfer): Buffer => {
  const { amount, expirationMillis, feeLimit, from, refBlockId, timestampMillis, to, token } = transfer
  const call = Buffer.concat([
    Protobuf.bytes(1, Buffer.from(from, "hex")),
    Protobuf.bytes(2, Buffer.from(token, "hex")),
    Protobuf.bytes(
      4,
      Buffer.from(`${transferSelector}${word(TronAddress.bodyOf(to))}${word(amount.toString(16))}`, "hex")
    )
  ])
  const parameter = Buffer.concat([Protobuf.bytes(1, Buffer.from(callType)), Protobuf.bytes(2, call)])
  const contract = Buffer.concat([Protobuf.number(1, triggerSmartContract), Protobuf.bytes(2, parameter)])
  const block = Buffer.from(refBlockId, "hex")
  return Buffer.concat([
    Protobuf.bytes(1, block.subarray(6, 8)),
    Protobuf.bytes(4, block.subarray(8, 16)),
    Protobuf.number(8, expirationMillis),
    Protobuf.bytes(11, contract),
    Protobuf.number(14, timestampMillis),
    Protobuf.number(18, feeLimit)
  ])
}

/** Returns the chain's id of the transaction, independent of its signature. */
export const idOf = (raw: Uint8Array): string => hashOf(raw).toString("hex")

/** Returns the transaction as sent: `0x` and hexadecimal. */
export const signed = (raw: Uint8Array, privateKey: Uint8Array): string => {
  const { recid, signature } = secp256k1.ecdsaSign(hashOf(raw), privateKey)
  return `0x${sentOf(raw, Buffer.from([...signature, recid + 27])).toString("hex")}`
}

/** Returns true if the bytes are exactly this transaction, signed with the address's key. */
export const isSigned = (bytes: string, raw: Uint8Array, from: TronAddress.AddressHex): boolean => {
  const signature = Buffer.from(bytes.slice(-130), "hex")
  if (signature.length !== 65 || bytes !== `0x${sentOf(raw, signature).toString("hex")}`) return false
  const recovered = Result.try(() =>
    secp256k1.ecdsaRecover(signature.subarray(0, 64), signature[64]! - 27, hashOf(raw), false)
  )
  return Result.isSuccess(recovered) && ofPublicKey(recovered.success) === from
}

/** The key is uncompressed: 65 bytes. */
const ofPublicKey = (publicKey: Uint8Array): TronAddress.AddressHex =>
  `41${keccak256(publicKey.subarray(1)).slice(-40)}`

export const addressOf = (privateKey: Uint8Array): TronAddress.AddressHex =>
  ofPublicKey(secp256k1.publicKeyCreate(privateKey, false))

/** A key that pays withdrawals. */
export interface TronKey {
  readonly key: Redacted.Redacted<Uint8Array>
  readonly address: string
}

/** A failure states the valid form but no part of the key. */
export const keyOf = (hex: Redacted.Redacted): Result.Result<TronKey, string> => {
  const [, digits = ""] = /^(?:0x)?([0-9a-f]{64})$/i.exec(Redacted.value(hex)) ?? []
  const key = new Uint8Array(Buffer.from(digits, "hex"))
  if (key.length !== 32 || !secp256k1.privateKeyVerify(key))
    return Result.fail("a private key of 64 hexadecimal digits")
  return Result.succeed({ key: Redacted.make(key), address: TronAddress.ofHex(addressOf(key)) })
}

/** Returns the transaction that an order describes, as bytes to sign. */
export const ordered = (order: TronPayment, from: string): Buffer =>
  rawOf({
    ...order,
    from: TronAddress.hexOf(from)!,
    to: TronAddress.hexOf(order.destination)!,
    token: TronAddress.hexOf(order.token)!
  })

export const signedBy = ({ address, key }: TronKey, order: TronPayment): string =>
  signed(ordered(order, address), Redacted.value(key))

const hashOf = (raw: Uint8Array): Buffer => createHash("sha256").update(raw).digest()

const sentOf = (raw: Uint8Array, signature: Uint8Array): Buffer =>
  Buffer.concat([Protobuf.bytes(1, raw), Protobuf.bytes(2, signature)])

const word = (hex: string): string => hex.padStart(64, "0")

const transferSelector = "a9059cbb"
const triggerSmartContract = 31
const callType = "type.googleapis.com/protocol.TriggerSmartContract"
