/** Tests that TRON addresses and transactions equal those of tronweb. */
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import * as TronTransaction from "@venue/providers/rails/tron/TronTransaction"
import { assert, describe, it } from "@effect/vitest"
import { HDKey, privateKeyToAddress } from "viem/accounts"
import { bytesToHex } from "viem"
import * as fc from "fast-check"
import { vectors } from "./Vectors.ts"

const transferOf = (vector: (typeof vectors)[number]): TronTransaction.Transfer => ({
  ...vector,
  from: TronAddress.hexOf(vector.from)!,
  to: TronAddress.hexOf(vector.to)!,
  token: TronAddress.hexOf(vector.token)!
})

describe("TRON transactions", () => {
  for (const vector of vectors) {
    const raw = TronTransaction.rawOf(transferOf(vector))
    const key = Buffer.from(vector.privateKey, "hex")

    it(`builds a transfer of ${vector.amount} with the vector's bytes, id and signature`, () => {
      assert.strictEqual(raw.toString("hex"), vector.rawData)
      assert.strictEqual(TronTransaction.idOf(raw), vector.txId)
      assert.include(TronTransaction.signed(raw, key), `1241${vector.signature}`)
      assert.strictEqual(TronAddress.ofHex(TronTransaction.addressOf(key)), vector.from)
    })

    it(`a signed transfer of ${vector.amount} matches its own order and no other`, () => {
      const from = TronTransaction.addressOf(key)
      const bytes = TronTransaction.signed(raw, key)
      assert.isTrue(TronTransaction.isSigned(bytes, raw, from))
      const flipped = (at: number) => `${bytes.slice(0, at)}${bytes[at] === "0" ? "1" : "0"}${bytes.slice(at + 1)}`
      for (const at of [2, 10, 60, 200, bytes.length - 70]) {
        assert.isFalse(TronTransaction.isSigned(flipped(at), raw, from), `digit ${at}`)
      }
      const other = TronTransaction.rawOf({ ...transferOf(vector), amount: vector.amount + 1n })
      assert.isFalse(TronTransaction.isSigned(bytes, other, from))
      assert.isFalse(TronTransaction.isSigned(`${bytes}00`, raw, from))
      assert.isFalse(TronTransaction.isSigned("0x", raw, from))
      assert.isFalse(TronTransaction.isSigned(bytes, raw, transferOf(vector).to))
    })
  }

  it("detects a change to any part of a transaction", () => {
    const transfer = transferOf(vectors[0]!)
    const id = TronTransaction.idOf(TronTransaction.rawOf(transfer))
    const others: ReadonlyArray<Partial<TronTransaction.Transfer>> = [
      { from: transfer.to },
      { to: transfer.from },
      { token: transfer.to },
      { amount: 2n },
      { refBlockId: vectors[1]!.refBlockId },
      { expirationMillis: transfer.expirationMillis + 1 },
      { timestampMillis: transfer.timestampMillis + 1 },
      { feeLimit: transfer.feeLimit + 1 }
    ]
    const ids = others.map((other) => TronTransaction.idOf(TronTransaction.rawOf({ ...transfer, ...other })))
    assert.strictEqual(new Set([id, ...ids]).size, others.length + 1)
  })
})

describe("TRON addresses", () => {
  it("accepts an address only in its canonical form", () => {
    const hex = "41a614f803b6fd780986a42c78ec9c7f77e6ded13c"
    const usdt = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
    assert.strictEqual(TronAddress.hexOf(usdt), hex)
    assert.strictEqual(TronAddress.ofHex(hex), usdt)
    const others = [
      "",
      "T",
      hex,
      `${usdt} `,
      usdt.toLowerCase(),
      usdt.replace(/t$/, "u"),
      // A valid checksum with another prefix, and with another length.
      TronAddress.ofHex(`42${hex.slice(2)}`),
      TronAddress.ofHex(`${hex}00`),
      TronAddress.ofHex(hex.slice(0, -2)),
      "0xa614f803b6fd780986a42c78ec9c7f77e6ded13c"
    ]
    for (const other of others) assert.isUndefined(TronAddress.hexOf(other), other)
  })

  it("I50: rejects random text as an address without throwing", () => {
    fc.assert(fc.property(fc.string(), (text) => TronAddress.hexOf(text) === undefined))
  })

  it("derives a TRON address as 41 followed by the key's EVM address", () => {
    const parent = HDKey.fromMasterSeed(Buffer.alloc(32, 7)).derive("m/44'/195'/0'/0")
    const child = parent.deriveChild(3)
    const key = child.privateKey!
    const evm = privateKeyToAddress(bytesToHex(key))
    assert.strictEqual(TronAddress.ofEvm(evm), TronAddress.ofHex(TronTransaction.addressOf(key)))
  })
})
