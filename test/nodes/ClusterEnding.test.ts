/** Shutdown of a cluster on a signal, and takeover of a killed cluster with a frozen process by the next start. */
import { createServer } from "node:net"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as ClusterApp from "./ClusterApp.ts"
import * as DevApp from "./DevApp.ts"
import * as Money from "./Money.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"

/** The smallest cluster, which starts and stops fastest. */
const small = { ...DevApp.audited, VENUE_CLUSTER_RUNNERS: "1", VENUE_CLUSTER_GATEWAYS: "1" }

it("after a cluster is killed, the next start takes over from it, and Ctrl-C leaves no process running", async () => {
  const site = await ClusterApp.makeSite()
  const first = await ClusterApp.start(site, small)
  const [alice] = first.file.users
  await Money.expectOpen(first.file, alice!)
  const socket = await TradeSocket.open(first.file.urls.trade, alice!)
  await TradeSocket.subscribe(socket, ["order_responses"])
  const rests = socket.next(({ order_response: row }) => row)
  const order = { symbol: "GOLD-USD", side: "BUY", quantity: 0.1, price: 3_300, reduce_only: false }
  socket.send("add_order", { ...order, order_type: "LIMIT", order_time_in_force: "GTC" })
  expect(await rests).toMatchObject({ status: "ACK" })
  const left = ClusterApp.pids(site)

  const second = DevApp.launch(site, small, ["apps/cluster/main.ts"])
  expect((await second.ended).code).toBe(1)
  expect(second.output()).toMatch(/venue: a cluster is already running on .* \(pid \d+\); stop it first/)
  const lone = DevApp.launch(site)
  expect((await lone.ended).code).toBe(1)

  // A frozen process cannot detect that its supervisor was killed.
  process.kill(left.get("runner-1")!, "SIGSTOP")
  await first.end("SIGKILL")
  await DevApp.until("the gateway has ended by itself", () => !ClusterApp.runs(left.get("gateway-1")!))

  const third = await ClusterApp.start(site, small)
  expect(ClusterApp.runs(left.get("runner-1")!)).toBe(false)
  expect(third.output()).toContain("venue: an earlier cluster was killed; waiting for its processes: runner-1\n")
  expect(third.file).toEqual(first.file)
  await Money.expectOpen(third.file, alice!)
  expect((await Truth.read(third.file.urls.trade, alice!)).open).toHaveLength(1)

  const last = [...ClusterApp.pids(site).values()]
  expect(await third.end("SIGINT")).toEqual({ code: 130, signal: null })
  expect(last.filter(ClusterApp.runs)).toEqual([])
  expect(DevApp.postgresOf(site.dataDir)).toEqual([])
  expect(existsSync(join(site.dataDir, "cluster.json"))).toBe(false)
})

it("a failed start prints one sentence and leaves no process running", async () => {
  const site = await ClusterApp.makeSite()
  const port = Number(site.ports["VENUE_TRADE_PORT"]) + 10
  const taken = createServer().listen(port, "127.0.0.1")
  onTestFinished(() => void taken.close())
  for (const [variables, message] of [
    [
      {},
      new RegExp(
        `^the trade socket of gateway-2 cannot listen on 127\\.0\\.0\\.1:${port}: .* set VENUE_TRADE_PORT to another port$`
      )
    ],
    [{ VENUE_CLUSTER_GATEWAYS: "1", VENUE_BRAND: "!" }, /^gateway-1 cannot start: VENUE_BRAND: expected letters/]
  ] as const) {
    const launched = DevApp.launch(site, variables, ["apps/cluster/main.ts"])
    expect(await launched.ended).toEqual({ code: 1, signal: null })
    expect(DevApp.lastLine(launched)).toMatch(message)
    expect(DevApp.postgresOf(site.dataDir)).toEqual([])
  }
})
