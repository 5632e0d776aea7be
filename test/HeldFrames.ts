/** Set up before the tests of a file: whatever their clients say and hear on the sockets has to be as it is described. */
import * as Observers from "@venue/testing/Observers"
import { afterAll, afterEach, expect } from "vitest"
import * as FrameFaults from "./FrameFaults.ts"

const texts: Array<readonly [by: "client" | "venue", socket: Observers.Socket, text: string]> = []

Observers.add({
  said: (socket, text) => texts.push(["client", socket, text]),
  heard: (socket, text) => texts.push(["venue", socket, text])
})

export const faults = async (): Promise<ReadonlyArray<string>> => {
  // Most files say nothing on a socket, and need no descriptions.
  if (texts.length > 0) {
    const { commandFault, frameFault } = await import("./SocketFrames.ts")
    for (const [by, socket, text] of texts.splice(0)) {
      FrameFaults.add(by === "client" ? commandFault(socket, text) : frameFault(socket, text))
    }
  }
  return FrameFaults.take()
}

const hold = async (): Promise<void> => {
  expect(await faults(), "what was said on the sockets is as it is described").toEqual([])
}

afterEach(hold)
afterAll(hold)
