import { checksummed, isAddress } from "@venue/auth/wallet/WalletAddress"
import { assert, describe, it } from "@effect/vitest"
import { getAddress } from "ethers"
import * as FastCheck from "fast-check"

describe("WalletAddress", () => {
  it("computes the EIP-55 example checksums from any letter case", () => {
    for (const address of examples) {
      const digits = address.slice(2)
      for (const text of [address, `0x${digits.toLowerCase()}`, `0x${digits.toUpperCase()}`]) {
        assert.strictEqual(checksummed(text), address)
      }
    }
  })

  it("computes the same checksum as an independent library", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.uint8Array({ minLength: 20, maxLength: 20 }), (bytes) => {
        const address = `0x${Buffer.from(bytes).toString("hex")}`
        assert.strictEqual(checksummed(address), getAddress(address))
      })
    )
  })

  it("W6: accepts only the letter cases that the configured address rule allows, and rejects wrong checksums", () => {
    const digits = "19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A"
    const verdicts = [digits, digits.toLowerCase(), digits.toUpperCase(), digits.replace("E7E3", "e7E3")].map(
      (digits) => rules.map((rule) => isAddress(`0x${digits}`, rule))
    )
    assert.deepStrictEqual(verdicts, [
      [true, true, true],
      [false, true, true],
      [false, false, true],
      [false, false, false]
    ])
  })

  it("W6: rejects malformed addresses and the zero address under every address rule", () => {
    const good = examples[0]!
    const odd = [
      "",
      "0x",
      good.slice(2),
      good.slice(0, -1),
      `${good}0`,
      `0X${good.slice(2)}`,
      ` ${good}`,
      `${good}\n`,
      `${good.slice(0, -1)}g`,
      `${good.slice(0, -1)}é`,
      `0x${"0".repeat(40)}`
    ]
    for (const text of odd) for (const rule of rules) assert.isFalse(isAddress(text, rule), text)
  })
})

const rules = ["checksummed", "checksummed or lower case", "any case"] as const

const examples = [
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0xde709f2102306220921060314715629080e2fb77"
]
