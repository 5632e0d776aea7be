/** A run in which a node cannot start. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as Run from "./Run.ts"
import type { Venue } from "./Venue.ts"
import * as VenueNode from "./VenueNode.ts"

it("if a node exits with code 1, the run fails with the error message that the node printed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "venue-chaos-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const program = join(folder, "Broken.mjs")
  const sentence = "VENUE_DATABASE_URL: expected the address of a database."
  writeFileSync(program, `console.log("starting")\nconsole.error(${JSON.stringify(sentence)})\nprocess.exit(1)\n`)
  const health = "http://127.0.0.1:9"
  const node = VenueNode.make(
    { name: "runner-1", kind: "runner", program, variables: {}, health, urls: undefined },
    folder
  )
  node.start()
  const venue = { users: [], nodes: [node], gateways: [], runners: [node] } as unknown as Venue
  const options = { seed: 1, patience: 1 } as unknown as Run.Run["options"]
  const history = { lines: [], write: () => {} } as unknown as Run.Run["history"]
  const run: Run.Run = { options, venue, history, say: () => {}, isOver: () => false }
  await expect(Run.go(run)).rejects.toThrow(new Error(`runner-1 could not start: ${sentence}`))
})
