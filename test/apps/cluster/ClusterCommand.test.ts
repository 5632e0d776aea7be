/** The command line of the cluster. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import * as ClusterCommand from "../../../apps/cluster/ClusterCommand.ts"

const read = (line: string) => ClusterCommand.read(line.split(" ").filter((word) => word !== ""))

it("without a word the cluster is started, and each command is taken", () => {
  const commands = ["", "status", "restart runner-1", "drain gateway-2"].map((line) => Result.getOrThrow(read(line)))
  assert.deepStrictEqual(commands, [
    { _tag: "Start" },
    { _tag: "Status" },
    { _tag: "Restart", node: "runner-1" },
    { _tag: "Drain", node: "gateway-2" }
  ])
})

it("what is no command is refused with what would be one, and nothing is started", () => {
  for (const [line, reason] of [
    ["stop", '"stop" is no command'],
    ["--status", '"--status" is no command'],
    ["restart", "restart needs the name of a node, such as runner-1"],
    ["drain", "drain needs the name of a node, such as runner-1"],
    ["status runner-1", '"runner-1" is too much'],
    ["drain runner-1 runner-2", '"runner-2" is too much']
  ] as const) {
    const { message } = Result.getOrThrow(Result.flip(read(line)))
    assert.isTrue(message.startsWith(`${reason}; npm run cluster starts`), message)
  }
})
