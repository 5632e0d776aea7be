import { Result } from "effect"
import { read } from "@venue/auth/wallet/WalletMessage"
import { signerOf } from "@venue/auth/wallet/WalletSignature"
import { assert, describe, it } from "@effect/vitest"
import { verifyMessage } from "ethers"
import * as FastCheck from "fast-check"
import { signInMessage, wallet } from "./Wallets.ts"

describe("WalletSignature", () => {
  it("recovers the signer of the API contract's example signature with either encoding of v", () => {
    for (const v of ["1c", "1C", "01"]) assert.strictEqual(signerOf(text, `0x${r}${s}${v}`), signer)
  })

  it("W5: rejects a signature that is not 0x and exactly 65 bytes in hex", () => {
    const odd = [
      "",
      "0x",
      `0x${r}${s}`,
      `0x${r}${s}1c00`,
      `${r}${s}1c`,
      `0X${r}${s}1c`,
      ` 0x${r}${s}1c`,
      `0x${r}${s}1c\n`,
      `0x${r}${s}zz`,
      `0x${"é".repeat(130)}`,
      "0x".padEnd(100_000, "0")
    ]
    for (const signature of odd) assert.isUndefined(signerOf(text, signature), signature.slice(0, 140))
  })

  it("W5: accepts v of 0, 1, 27 or 28", () => {
    const admitted = Array.from({ length: 256 }, (_, v) => v).filter((v) => {
      const hex = v.toString(16).padStart(2, "0")
      return signerOf(text, `0x${r}${s}${hex}`) !== undefined
    })
    assert.deepStrictEqual(admitted, [0, 1, 27, 28])
  })

  it("W5: requires r and s to be at least 1 and below the curve order, and s to be in the lower half", () => {
    assert.isUndefined(signerOf(text, `0x${r}${highS}1b`))
    for (const odd of [zero, order, aboveOrder, "f".repeat(64)]) {
      for (const v of ["00", "01", "1b", "1c"]) {
        assert.isUndefined(signerOf(text, `0x${odd}${s}${v}`))
        assert.isUndefined(signerOf(text, `0x${r}${odd}${v}`))
      }
    }
    assert.isDefined(signerOf(text, `0x${r}${halfOrder}1b`))
    assert.isUndefined(signerOf(text, `0x${r}${aboveHalfOrder}1b`))
  })

  it("W5: recovers another signer or none from a signature by another key or with a flipped bit", () => {
    assert.strictEqual(signerOf(text, wallet(2).sign(text)), wallet(2).address.toLowerCase())
    const bytes = Buffer.from(`${r}${s}`, "hex")
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = bytes.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      assert.notStrictEqual(signerOf(text, `0x${Buffer.from(changed).toString("hex")}1c`), signer)
    }
  })

  it("recovers the signer of any text", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.integer({ min: 1, max: 254 }),
        FastCheck.string({ unit: "grapheme", maxLength: 300 }),
        (n, text) => signerOf(text, wallet(n).sign(text)) === wallet(n).address.toLowerCase()
      )
    )
  })

  it("from any 65 bytes, recovers either no signer or the same signer as an independent library", () => {
    const half = FastCheck.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) =>
      Buffer.from(bytes).toString("hex")
    )
    const lowHalf = half.map((hex) => `0${hex.slice(1)}`)
    FastCheck.assert(
      FastCheck.property(half, FastCheck.oneof(half, lowHalf), FastCheck.constantFrom("1b", "1c"), (r, s, v) => {
        const ours = signerOf(text, `0x${r}${s}${v}`)
        const theirs = Result.getOrUndefined(Result.try(() => verifyMessage(text, `0x${r}${s}${v}`).toLowerCase()))
        assert.strictEqual(ours, s > halfOrder ? undefined : theirs)
      })
    )
  })

  it("X4: rejects a signed message after any single byte has been changed", () => {
    for (let at = 0; at < text.length; at++) {
      for (const bit of [1, 2, 4, 8, 16, 32, 64]) {
        const changed = String.fromCharCode(text.charCodeAt(at) ^ bit)
        assert.isFalse(isAccepted(text.slice(0, at) + changed + text.slice(at + 1)), `${at} ${bit}`)
      }
    }
  })

  it("X4: rejects a signed message after any run of its bytes has been replaced", () => {
    assert.isTrue(isAccepted(text))
    FastCheck.assert(
      FastCheck.property(
        FastCheck.nat(text.length),
        FastCheck.nat(3),
        FastCheck.oneof(
          FastCheck.string({ maxLength: 3 }),
          FastCheck.constantFrom("", "\n", "\r\n", " ", "0", "Z", "é")
        ),
        (at, length, piece) => {
          const edited = text.slice(0, at) + piece + text.slice(at + length)
          return edited === text || !isAccepted(edited)
        }
      ),
      { numRuns: 2_000 }
    )
  })
})

const text = signInMessage()
const signer = "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a"
const r = "0ab5f755539e166738e13fc8876ecd7f179e4ab907c209f669b144ba8255d8ee"
const s = "74a00ff1071c824540e650b65cd5e486e438108f9cff3cf145d6e2d3a5438104"
const highS = "8b5ff00ef8e37dbabf19af49a32a1b77d676cc571249634a79fb7bb92af2c03d"
const signature = `0x${r}${s}1c`

const zero = "0".repeat(64)
const order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"
const aboveOrder = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364142"
const halfOrder = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"
const aboveHalfOrder = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1"

/** Returns true if the text, with the original's signature, is a valid message of the wallet that it names. */
const isAccepted = (text: string): boolean =>
  Result.match(read(text), {
    onFailure: () => false,
    onSuccess: ({ address }) => signerOf(text, signature) === address.toLowerCase()
  })
