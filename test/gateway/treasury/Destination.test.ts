import { problems } from "@venue/api/Problem"
import * as Destination from "@venue/gateway/treasury/Destination"
import * as TronAddress from "@venue/providers/rails/tron/TronAddress"
import type { Network } from "@venue/domain/Rail"
import { createBase58check } from "@scure/base"
import { Result } from "effect"
import { expect, it } from "vitest"
import { createHash } from "node:crypto"

const read = (network: Network, text: string, token?: string) =>
  Result.getOrUndefined(Destination.read(problems("https://funding.venue.test"), network, text, token))

const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
/** Address of the USDT contract on TRON. */
const tron = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

it("accepts an EVM address in a single letter case or with its checksum, and returns the checksummed form", () => {
  for (const text of [evm, evm.toLowerCase(), `0x${evm.slice(2).toUpperCase()}`]) {
    expect([text, read("ARBITRUM_ONE", text)]).toEqual([text, evm])
  }
  const wrong = ["", evm.slice(2), evm.slice(0, -1), `${evm}0`, ` ${evm}`, evm.replace("5a", "5A"), `0X${evm.slice(2)}`]
  for (const text of [...wrong, `0x${"0".repeat(40)}`, `0x${"g".repeat(40)}`, tron]) {
    expect([text, read("ARBITRUM_ONE", text)]).toEqual([text, undefined])
  }
})

it("accepts a TRON address only with the right first byte and checksum", () => {
  for (const text of [tron, TronAddress.ofEvm(evm)]) expect([text, read("TRON", text)]).toEqual([text, text])
  const wrong = ["", ` ${tron}`, tron.slice(0, -1), `${tron}t`, tron.replace("R7", "R8"), tron.toLowerCase(), evm]
  for (const text of [...wrong, tron.replace("j", "0"), "T".repeat(60_000)])
    expect([text, read("TRON", text)]).toEqual([text, undefined])
})

it("rejects addresses of other networks and lengths, and the TRON zero address", () => {
  const { encode } = createBase58check((bytes) => new Uint8Array(createHash("sha256").update(bytes).digest()))
  const written = (first: number, length: number, fill: number) =>
    encode(Uint8Array.from({ length }, (_, at) => (at === 0 ? first : fill)))
  const right = written(0x41, 21, 7)
  expect(read("TRON", right)).toBe(right)
  const wrong = [written(0xa0, 21, 7), written(0x00, 21, 7), written(0x41, 20, 7), written(0x41, 22, 7)]
  for (const text of [...wrong, written(0x41, 21, 0)]) expect([text, read("TRON", text)]).toEqual([text, undefined])
})

it("rejects the token's contract address in any letter case", () => {
  for (const text of [evm, evm.toLowerCase()]) expect(read("ARBITRUM_ONE", text, evm)).toBeUndefined()
  expect(read("TRON", tron, tron)).toBeUndefined()
  expect(read("TRON", TronAddress.ofEvm(evm), tron)).toBe(TronAddress.ofEvm(evm))
})

it("names the expected form of an address in a refusal", () => {
  const refused = Destination.read(problems("https://funding.venue.test"), "TRON", evm, undefined)
  expect(Result.isFailure(refused) && refused.failure).toMatchObject({
    status: 400,
    type: "https://funding.venue.test/problems/invalid-address",
    errors: [{ location: "body.address", message: expect.stringContaining("base58"), value: evm }]
  })
})

it("rejects the address of the account that pays withdrawals, in any letter case", () => {
  for (const text of [evm, evm.toLowerCase()]) {
    const read = Destination.read(problems("https://funding.venue.test"), "ARBITRUM_ONE", text, undefined, evm)
    expect(JSON.stringify(Result.getOrThrow(Result.flip(read)))).toContain(
      "the venue pays withdrawals from this address"
    )
  }
})
