/** Test setup file: checks every text on a test's sockets against the published descriptions. */
import * as Observers from "@venue/testing/Observers"
import { afterAll, afterEach, expect } from "vitest"
import * as FrameFaults from "./FrameFaults.ts"

const texts: Array<readonly [by: "client" | "venue", socket: Observers.Socket, text: string]> = []

Observers.add({
  sent: (socket, text) => texts.push(["client", socket, text]),
  received: (socket, text) => texts.push(["venue", socket, text])
})

export const faults = async (): Promise<ReadonlyArray<string>> => {
  // Loads the descriptions only for files that use a socket.
  if (texts.length > 0) {
    const { commandFault, frameFault } = await import("./SocketFrames.ts")
    for (const [by, socket, text] of texts.splice(0)) {
      FrameFaults.add(by === "client" ? commandFault(socket, text) : frameFault(socket, text))
    }
  }
  return FrameFaults.take()
}

const hold = async (): Promise<void> => {
  expect(await faults(), "every text on the sockets matches its description").toEqual([])
}

afterEach(hold)
afterAll(hold)
