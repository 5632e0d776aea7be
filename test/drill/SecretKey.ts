/** Part `keys`: nodes start with a lost or another secret key, and then with the key from its backup. */
import { copyFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as TradeSocket from "../nodes/TradeSocket.ts"
import type { VenueNode } from "../chaos/VenueNode.ts"
import type { Drilled } from "./Drilled.ts"
import * as Nodes from "./Nodes.ts"

/** `database` is the URL of the venue's running server. */
export const run = async (drilled: Drilled, database: string): Promise<void> => {
  const { folder, report, users } = drilled
  const keyFile = join(folder, "secret-key-in-use")
  const nodes = await drilled.nodesOf("keys", { database, keyFile })
  const refused = async (node: VenueNode, name: string, expected: string) => {
    const { code, lines } = await Nodes.refusal(nodes, node)
    const line = lines.find((text) => text.includes(expected))
    const found = `exit code ${code} and "${line ?? lines.join(" ")}"`
    report.check(`${node.kind} ${name}`, `exit code 1 and "… ${expected} …"`, found, code === 1 && line !== undefined)
  }
  for (const node of [nodes.runner, nodes.gateway]) {
    rmSync(keyFile, { force: true })
    await refused(node, "with a lost key file", "VENUE_SECRET_KEY_FILE: expected the path of a file")
    writeFileSync(keyFile, "", { mode: 0o600 })
    await refused(node, "with an empty key file", "VENUE_SECRET_KEY: expected a value")
    writeFileSync(keyFile, "another key that is as long as the key of the venue", { mode: 0o600 })
    await refused(node, "with another key", "put back the value of VENUE_SECRET_KEY")
  }
  copyFileSync(drilled.keyFile, keyFile)
  await nodes.start()
  const socket = await TradeSocket.open(nodes.tradeUrl, users[0]!)
  report.check(
    "a request signed with a stored API secret, after the key is back",
    "open",
    socket.isOpen() ? "open" : "closed"
  )
  await socket.close()
  await nodes.stop()
}
