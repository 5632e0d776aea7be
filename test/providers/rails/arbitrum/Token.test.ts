import * as Token from "@venue/providers/rails/arbitrum/Token"
import * as fc from "fast-check"
import { encodeAbiParameters, encodeEventTopics, getAddress, type Hex, parseAbi, toEventSelector } from "viem"
import { assert, it } from "vitest"

const abi = parseAbi(["event Transfer(address indexed from, address indexed to, uint256 value)"])
const address = fc
  .string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: 40, maxLength: 40 })
  .map((digits) => getAddress(`0x${digits}`))

const logOf = (from: Hex, to: Hex, value: bigint) => ({
  topics: encodeEventTopics({ abi, eventName: "Transfer", args: { from, to } }) as Array<Hex>,
  data: encodeAbiParameters([{ type: "uint256" }], [value])
})

it("reads a transfer from the token's log", () => {
  assert.strictEqual(Token.transferTopic, toEventSelector(abi[0]))
  fc.assert(
    fc.property(address, address, fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (from, to, amount) => {
      assert.deepStrictEqual(Token.transferOf(logOf(from, to, amount)), { from, to, amount })
      assert.strictEqual(Token.topicOf(to), logOf(from, to, 0n).topics[2])
    })
  )
})

it("ignores amounts that a ledger cannot hold, and other events", () => {
  const to: Hex = `0x${"1".repeat(40)}`
  const log = logOf(to, to, 5n)
  assert.isUndefined(Token.transferOf(logOf(to, to, 2n ** 63n)))
  assert.isUndefined(Token.transferOf({ ...log, topics: log.topics.slice(0, 2) }))
  assert.isUndefined(Token.transferOf({ ...log, topics: [...log.topics, log.topics[1]!] }))
  assert.isUndefined(Token.transferOf({ ...log, topics: [`0x${"2".repeat(64)}`, ...log.topics.slice(1)] }))
  assert.isUndefined(Token.transferOf({ ...log, topics: [log.topics[0]!, log.topics[1]!, `0x${"f".repeat(64)}`] }))
  assert.isUndefined(Token.transferOf({ ...log, data: "0x" }))
})
