/** The flood's WebSocket frames are valid input for a server. */
import { createRequire } from "node:module"
import type { Writable } from "node:stream"
import { expect, it } from "vitest"
import { framesOf } from "./FloodFrames.ts"

/** The `ws` package's receiver class, which its types omit. */
const { Receiver } = createRequire(import.meta.url)("ws") as {
  readonly Receiver: new (options: { isServer: true; allowSynchronousEvents: true; maxPayload?: number }) => Writable
}

it("builds flood blocks that contain only complete, masked frames of one kind", () => {
  for (const [kind, event] of [
    ["pings", "ping"],
    ["texts", "message"]
  ] as const) {
    const { block, first, frameBytes } = framesOf(kind)
    const receiver = new Receiver({ isServer: true, allowSynchronousEvents: true })
    let heard = 0
    receiver.on(event, () => heard++)
    receiver.write(Buffer.concat([first, block]))
    expect(heard).toBe(block.length / frameBytes)
  }
})

it("builds one-byte fragments of a message that never ends", () => {
  const { block, first, frameBytes } = framesOf("fragments")
  expect(frameBytes).toBe(7)
  const receiver = new Receiver({ isServer: true, allowSynchronousEvents: true, maxPayload: 100 * 1024 })
  const events: Array<string> = []
  for (const event of ["message", "ping", "error"]) receiver.on(event, () => events.push(event))
  receiver.write(Buffer.concat([first, block, block]))
  expect(events).toEqual([])
})
