/** Tests of a cluster's plan: its processes, their ports and their settings. */
import { assert, it } from "@effect/vitest"
import * as ClusterPlan from "../../../apps/cluster/ClusterPlan.ts"

const usual: ClusterPlan.ClusterShape = {
  runners: 3,
  gateways: 2,
  host: "127.0.0.1",
  ports: { rest: 4000, funding: 4001, auth: 4002, trade: 4003, market_data: 4004, admin: 4005 },
  portBase: 4100
}
const placesOf = (shape: ClusterPlan.ClusterShape) =>
  [...ClusterPlan.gateways(shape), ...ClusterPlan.runners(shape)].flatMap(({ ports }) => ports)
const portsOf = (nodes: ReadonlyArray<ClusterPlan.PlannedNode>) =>
  nodes.flatMap(({ ports }) => ports.map(({ port }) => port))

it("gives the second gateway ports ten above those of the first, and each runner its own ports", () => {
  const [first, second] = ClusterPlan.gateways(usual)
  assert.deepStrictEqual(portsOf([first!]), [4000, 4001, 4002, 4003, 4004, 4005, 4211])
  assert.deepStrictEqual(portsOf([second!]), [4010, 4011, 4012, 4013, 4014, 4015, 4212])
  assert.deepStrictEqual(portsOf(ClusterPlan.runners(usual)), [4101, 4201, 4102, 4202, 4103, 4203])
  assert.strictEqual(second!.urls.trade, "ws://127.0.0.1:4013")
  assert.strictEqual(second!.environment["VENUE_TRADE_PORT"], "4013")
})

it("assigns each port to only one process, even with the maximum number of processes", () => {
  const most = placesOf({ ...usual, runners: ClusterPlan.mostOfKind, gateways: ClusterPlan.mostOfKind })
  assert.strictEqual(ClusterPlan.collision(most), undefined)
  assert.strictEqual(new Set(most.map(({ port }) => port)).size, most.length)
})

it("if two processes would use the same port, reports both processes and the setting behind each port", () => {
  const [first, second] = ClusterPlan.collision(placesOf({ ...usual, portBase: 4012 }))!
  assert.deepStrictEqual(
    [first.port, first.what, first.variable],
    [4013, "the trade socket of gateway-2", "VENUE_TRADE_PORT"]
  )
  assert.deepStrictEqual([second.what, second.variable], ["the cluster address of runner-1", "VENUE_CLUSTER_PORT_BASE"])
})

it("binds the operator interface and the traffic between nodes to loopback, whatever host is configured", () => {
  const shape = { ...usual, host: "0.0.0.0" }
  const publicOnes = ["REST", "FUNDING", "AUTH", "TRADE", "MARKET_DATA"]
  const open = placesOf(shape).filter(({ host }) => host !== "127.0.0.1")
  assert.deepStrictEqual(
    open.map(({ variable }) => variable),
    [...publicOnes, ...publicOnes].map((name) => `VENUE_${name}_PORT`)
  )
})

it("passes to each node its own name and URLs, and no other node's", () => {
  assert.deepStrictEqual(ClusterPlan.runners(usual)[1]!.environment, {
    VENUE_NODE_NAME: "runner-2",
    VENUE_CLUSTER_ADDRESS: "127.0.0.1:4102",
    VENUE_HEALTH_HOST: "127.0.0.1",
    VENUE_HEALTH_PORT: "4202"
  })
})
