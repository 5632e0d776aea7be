/** The counter counts complete frames, however reads split them. */
import { createRequire } from "node:module"
import { expect, it } from "vitest"
import * as FrameCounter from "./FrameCounter.ts"

/** The `ws` package's sender class, which its types omit. */
const { Sender } = createRequire(import.meta.url)("ws") as {
  readonly Sender: {
    readonly frame: (data: Buffer, options: object) => ReadonlyArray<Buffer>
  }
}

const framed = (data: string, opcode = 1): Buffer =>
  Buffer.concat(Sender.frame(Buffer.from(data), { fin: true, opcode, mask: false, readOnly: false, rsv1: false }))

const message = (type: string, sequence: number, bytes = 0): string =>
  `{"type":"${type}","sequence":${sequence},"text":"${"x".repeat(bytes)}"}`

const said = [
  '{"type":"subscribed","channels":["trade"]}',
  message("trade", 1, 200),
  message("minmax_price", 2),
  message("level2", 3, 70_000),
  message("trade", 4, 10)
]

const counting = () => {
  const counted = { frames: 0, trades: 0, bytes: 0, pings: 0 }
  const counter = FrameCounter.make({
    frame: (bytes) => {
      counted.frames++
      counted.bytes += bytes
    },
    trade: () => void counted.trades++,
    ping: () => void counted.pings++
  })
  return { counted, counter }
}

it("counts each numbered message once, however the messages are split across reads", () => {
  const all = Buffer.concat([...said.map((one) => framed(one)), framed("", 9), framed(message("trade", 5))])
  const bytes = [...said.slice(1), message("trade", 5)].reduce((sum, { length }) => sum + length, 0)
  for (const size of [1, 2, 7, 63, 64, 65, 1_000, 65_536, all.length]) {
    const { counted, counter } = counting()
    for (let at = 0; at < all.length; at += size) counter.read(all.subarray(at, at + size))
    expect({ ...counted, problem: counter.problem() }).toEqual({
      frames: 5,
      trades: 3,
      bytes,
      pings: 1,
      problem: undefined
    })
  }
})

it("keeps the start of an incomplete frame even if the caller reuses its read buffer", () => {
  const { counted, counter } = counting()
  const memory = Buffer.alloc(40)
  const all = framed(message("trade", 1))
  counter.read(memory.subarray(0, all.copy(memory, 0, 0, 30)))
  counter.read(memory.subarray(0, all.copy(memory, 0, 30)))
  expect(counted.trades).toBe(1)
})

it("reports a sequence number that is missing, repeated or invalid", () => {
  for (const second of [message("trade", 3), message("trade", 1), '{"err":{"error_code":"RateLimited"}}']) {
    const { counter } = counting()
    counter.read(Buffer.concat([framed(message("trade", 1)), framed(second)]))
    expect(counter.problem()).toContain("number 2 was due")
  }
})
