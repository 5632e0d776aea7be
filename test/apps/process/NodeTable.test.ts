/** Tests of the table that `status` prints. */
import { assert, it } from "@effect/vitest"
import type { Node } from "@venue/storage/nodes/Nodes"
import * as NodeTable from "../../../apps/process/NodeTable.ts"

const now = 1_790_000_000_000
const runner: Node = {
  nodeId: "one",
  name: "runner-1",
  kind: "runner",
  address: "127.0.0.1:4101",
  release: "0.1.0",
  settings: {},
  wanted: "serving",
  isReady: true,
  isLiving: true,
  shards: 11,
  startedAtMillis: now - 60_000,
  lastSeenAtMillis: now - 420,
  leftAtMillis: null,
  contractsKnown: 0,
  contractsInForce: 0
}

it("prints one row per node with the node's address, requested state and time of the last heartbeat", () => {
  const left = {
    isLiving: false,
    leftAtMillis: now - 90_000,
    lastSeenAtMillis: now - 90_000,
    isReady: false,
    shards: 0
  }
  const nodes: ReadonlyArray<Node> = [
    { ...runner, name: "gateway-1", kind: "gateway", address: "127.0.0.1:4000", shards: 0, isReady: false },
    runner,
    { ...runner, ...left, name: "runner-2", wanted: "draining" },
    { ...runner, name: "runner-3", isLiving: false, lastSeenAtMillis: now - 3 * 3_600_000 }
  ]
  const pids = new Map([
    ["gateway-1", 41],
    ["runner-1", 4_242],
    ["runner-2", 43]
  ])
  assert.deepStrictEqual(NodeTable.lines(nodes, now, pids), [
    "NODE       KIND     ADDRESS         PID   RELEASE  WANTED    READY  SHARDS  SEEN",
    "gateway-1  gateway  127.0.0.1:4000  41    0.1.0    serving   no     -       0.4 s ago",
    "runner-1   runner   127.0.0.1:4101  4242  0.1.0    serving   yes    11      0.4 s ago",
    "runner-2   runner   127.0.0.1:4101  -     0.1.0    draining  left   0       1 min ago",
    "runner-3   runner   127.0.0.1:4101  -     0.1.0    serving   lost   11      3 h ago"
  ])
})

it("prints no process id for a node of another supervisor, and no negative time", () => {
  const [, row] = NodeTable.lines([{ ...runner, lastSeenAtMillis: now + 50 }], now, new Map())
  assert.strictEqual(row, "runner-1  runner  127.0.0.1:4101  -    0.1.0    serving  yes    11      0.0 s ago")
})

it("omits the column of process ids without a local supervisor", () => {
  assert.deepStrictEqual(NodeTable.lines([runner], now), [
    "NODE      KIND    ADDRESS         RELEASE  WANTED   READY  SHARDS  SEEN",
    "runner-1  runner  127.0.0.1:4101  0.1.0    serving  yes    11      0.4 s ago"
  ])
})
