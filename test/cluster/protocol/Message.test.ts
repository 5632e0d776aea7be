import { assert, describe, it } from "@effect/vitest"
import { readdirSync } from "node:fs"
import { kept } from "./Kept.ts"
import { messages } from "./Message.ts"

describe("messages between nodes", () => {
  it("every message has stored examples; if some are missing, run `node test/cluster/protocol/Keep.ts`", () => {
    const without = messages.filter((message) => !kept(message).some(({ part }) => part === message.part))
    assert.deepStrictEqual(without.map(named), [])
  })

  it("no message is removed, because older nodes still send it", () => {
    const calls = new Set(messages.map(({ entity, rpc }) => `${entity}.${rpc}.json`))
    const files = readdirSync(new URL("./fixtures", import.meta.url))
    assert.deepStrictEqual(
      files.filter((file) => !calls.has(file)),
      []
    )
    const gone = messages.flatMap(({ entity, rpc }) => {
      const parts = new Set(
        messages.filter((other) => other.entity === entity && other.rpc === rpc).map(({ part }) => part)
      )
      return kept({ entity, rpc }).filter(({ part }) => !parts.has(part))
    })
    assert.deepStrictEqual(gone, [])
  })

  it.each(messages.map((message) => [named(message), message] as const))(
    "%s: decodes and encodes stored examples unchanged",
    (_, message) => {
      for (const { bytes, part, value } of kept(message)) {
        if (part !== message.part) continue
        assert.deepStrictEqual(message.decode(Buffer.from(bytes, "base64")), value)
        assert.strictEqual(Buffer.from(message.encode(value)).toString("base64"), bytes)
      }
    }
  )
})

function named({ entity, part, rpc }: (typeof messages)[number]): string {
  return `${entity}.${rpc} ${part}`
}
