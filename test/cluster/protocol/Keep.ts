/** Stores examples of new messages: `node test/cluster/protocol/Keep.ts`. Stored examples never change. */
import { writeFileSync } from "node:fs"
import { examples } from "./Example.ts"
import { file, kept, written } from "./Kept.ts"
import { messages } from "./Message.ts"

for (const message of messages) {
  const before = kept(message)
  const known = new Set(before.filter(({ part }) => part === message.part).map(({ value }) => JSON.stringify(value)))
  const more = examples(message.schema)
    .filter((value) => !known.has(JSON.stringify(value)))
    .map((value) => ({
      part: message.part,
      value,
      bytes: Buffer.from(message.encode(value)).toString("base64")
    }))
  if (more.length === 0) continue
  writeFileSync(file(message), written([...before, ...more]))
  console.log(`${message.entity}.${message.rpc} ${message.part}: ${more.length} more`)
}
