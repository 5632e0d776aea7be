/** Tests of the cluster's command line. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as ClusterCommand from "../../../apps/cluster/ClusterCommand.ts"

const read = (line: string) => ClusterCommand.read(line.split(" ").filter((word) => word !== ""))

it("parses a command line without arguments as start, and parses each command with the node that it names", () => {
  const commands = ["", "status", "restart runner-1", "drain gateway-2"].map((line) => Result.getOrThrow(read(line)))
  assert.deepStrictEqual(commands, [
    { _tag: "Start" },
    { _tag: "Status" },
    { _tag: "Restart", node: "runner-1" },
    { _tag: "Drain", node: "gateway-2" }
  ])
})

it("refuses unknown arguments and names the valid commands", () => {
  for (const [line, reason] of [
    ["stop", '"stop" is not a command'],
    ["--status", '"--status" is not a command'],
    ["restart", "restart needs the name of a node, such as runner-1"],
    ["drain", "drain needs the name of a node, such as runner-1"],
    ["status runner-1", 'unexpected argument "runner-1"'],
    ["drain runner-1 runner-2", 'unexpected argument "runner-2"']
  ] as const) {
    const { message } = Result.getOrThrow(Result.flip(read(line)))
    assert.isTrue(message.startsWith(`${reason}; npm run cluster starts`), message)
  }
})
