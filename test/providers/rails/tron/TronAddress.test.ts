import { isAddress } from "@venue/providers/rails/tron/TronAddress"
import { createBase58check } from "@scure/base"
import { expect, it } from "vitest"
import { createHash } from "node:crypto"

const { encode } = createBase58check((bytes) => new Uint8Array(createHash("sha256").update(bytes).digest()))

/** The USDT contract and other public addresses. */
const known = [
  "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
  "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7",
  "TNUC9Qb1rRpS5CbWLmNMxXBjyFoydXjWFR"
]

it("recognises TRON addresses by their first byte and checksum", () => {
  for (const address of known) expect([address, isAddress(address)]).toEqual([address, true])
  const [address = ""] = known
  const wrong = [
    "",
    ` ${address}`,
    address.slice(0, -1),
    `${address}t`,
    address.replace("R7", "R8"),
    address.toLowerCase(),
    address.replace("j", "0"),
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  ]
  for (const text of wrong) expect([text, isAddress(text)]).toEqual([text, false])
})

it("refuses other networks' addresses, other lengths and the zero address, whatever the checksum", () => {
  const bytes = (first: number, length: number, fill: number) =>
    Uint8Array.from({ length }, (_, at) => (at === 0 ? first : fill))
  expect(isAddress(encode(bytes(0x41, 21, 7)))).toBe(true)
  for (const [first, length, fill] of [
    [0xa0, 21, 7],
    [0x00, 21, 7],
    [0x41, 20, 7],
    [0x41, 22, 7],
    [0x41, 21, 0]
  ] as const) {
    expect([first, length, fill, isAddress(encode(bytes(first, length, fill)))]).toEqual([first, length, fill, false])
  }
})
