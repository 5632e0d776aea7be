/** A cluster as an operator has it: traded through both gateways while its processes die, freeze, drain and restart. */
import { expect, it } from "vitest"
import * as Audit from "./Audit.ts"
import * as ClusterApp from "./ClusterApp.ts"
import * as DevApp from "./DevApp.ts"
import * as Heard from "./Heard.ts"
import * as Load from "./Load.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"

const traders = 4

/** Traders at both gateways, half at each, until `act` is over and `more` commands were answered after it. */
async function underTrade(
  app: ClusterApp.ClusterApp,
  tag: string,
  gateways: ReadonlyArray<number>,
  act: () => Promise<void>
) {
  const heard = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(Heard.make)
  expect(heard).toHaveLength(traders)
  const loads = await Promise.all(
    gateways.map((gateway, index) =>
      Load.begin(
        app.file.gateways[gateway]!.trade,
        heard.filter((_, at) => at % gateways.length === index),
        tag,
        2,
        50
      )
    )
  )
  const answered = () => loads.reduce((sum, load) => sum + load.answered(), 0)
  await DevApp.until("trade has begun", () => answered() >= 50)
  await act()
  const before = answered()
  await DevApp.until("trade goes on", () => answered() >= before + 100)
  for (const load of loads) load.stop()
  // What is not answered by then is unknown for good, and counts as that.
  const waitsUntil = performance.now() + 30_000
  await DevApp.until("all is answered", () => loads.every((load) => load.isIdle()) || performance.now() > waitsUntil)
  await Promise.all(loads.flatMap(({ sockets }) => sockets.map((socket) => socket.close())))
  return heard
}

/**
 * What was acknowledged at either gateway is there once, whichever is asked. Accounts are read one beside the other, so they
 * add up only where nothing was traded meanwhile, and a command whose outcome is unknown may still be done.
 */
async function audit(app: ClusterApp.ClusterApp, heard: ReadonlyArray<Heard.Heard>): Promise<void> {
  const { trade } = app.file.gateways[1]!
  const read = () =>
    Promise.all(
      heard.map(async (one): Promise<Audit.Account> => ({ heard: one, truth: await Truth.read(trade, one.user) }))
    )
  const trades = (accounts: ReadonlyArray<Audit.Account>) => accounts.map(({ truth }) => truth.trades.length).join()
  let before = await read()
  let accounts = await read()
  while (trades(accounts) !== trades(before)) {
    before = accounts
    accounts = await read()
  }
  // The first of two readings that agree: what it says must not have needed the second.
  expect(Audit.faults(before)).toEqual([])
}

/** The process is another one, and it serves. */
const isAnew = (app: ClusterApp.ClusterApp, name: string, before: number) => () =>
  ClusterApp.pids(app.site).get(name) !== before &&
  app.output().includes(`venue: ${name} ready, pid ${ClusterApp.pids(app.site).get(name)},`)

it("I1 I8 I10 I20: a cluster is traded through all its gateways while runners die and freeze", async () => {
  const site = await ClusterApp.makeSite()
  const app = await ClusterApp.start(site, { VENUE_EXTRA_USERS: String(traders) })
  expect(app.file.gateways).toHaveLength(2)
  expect(app.file.gateways[0]).toEqual(app.file.urls)
  const pidOf = (name: string) => ClusterApp.pids(site).get(name)!

  const heard = await underTrade(app, "run", [0, 1], async () => {
    const [dying, freezing] = [pidOf("runner-1"), pidOf("runner-2")]
    process.kill(dying, "SIGKILL")
    await DevApp.until("runner-1 serves again", isAnew(app, "runner-1", dying))
    process.kill(freezing, "SIGSTOP")
    await DevApp.until("runner-2 is killed and serves again", isAnew(app, "runner-2", freezing))
    expect(app.output()).toContain(`venue: runner-2 has answered nothing for 9 s and is killed (pid ${freezing})`)
  })
  await audit(app, heard)

  const dead = pidOf("gateway-1")
  process.kill(dead, "SIGKILL")
  const other = await TradeSocket.open(app.file.gateways[1]!.trade, app.file.users[0]!)
  await TradeSocket.subscribe(other, ["order_responses"])
  const rests = other.next(({ order_response: row }) => row)
  const order = { symbol: "GOLD-USD", side: "BUY", quantity: 0.1, price: 3_300, reduce_only: false }
  other.send("add_order", { ...order, order_type: "LIMIT", order_time_in_force: "GTC" })
  expect(await rests).toMatchObject({ status: "ACK" })
  await other.close()
  await DevApp.until("gateway-1 serves again", isAnew(app, "gateway-1", dead))

  expect(await app.end("SIGINT")).toEqual({ code: 130, signal: null })
})

it("nodes are drained, started again and restarted from another terminal, and trade goes on", async () => {
  const site = await ClusterApp.makeSite()
  const variables = { VENUE_EXTRA_USERS: String(traders), VENUE_CLUSTER_RUNNERS: "2" }
  const app = await ClusterApp.start(site, variables)
  const ask = (...words: ReadonlyArray<string>) => ClusterApp.ask(site, ...words)
  const pids = ClusterApp.pids(site)

  const { code, lines } = await ask("status")
  expect(code).toBe(0)
  const cells = lines.map((line) => line.split(/ {2,}/))
  expect(cells[0]).toEqual(["NODE", "KIND", "ADDRESS", "PID", "RELEASE", "WANTED", "READY", "SHARDS", "SEEN"])
  const column = (index: number) => cells.slice(1).map((row) => row[index])
  expect(column(0)).toEqual(["gateway-1", "gateway-2", "runner-1", "runner-2"])
  expect(column(3)).toEqual(column(0).map((name) => String(pids.get(name!))))
  expect(new Set(column(6))).toEqual(new Set(["yes"]))
  expect(column(5)).toEqual(Array(4).fill("serving"))

  const heard = await underTrade(app, "run", [0, 1], async () => {
    expect(await ask("drain", "runner-2")).toMatchObject({ code: 0 })
    expect(ClusterApp.runs(pids.get("runner-2")!)).toBe(false)
    const last = await ask("drain", "runner-1")
    expect(last).toMatchObject({ code: 1 })
    expect(last.lines.at(-1)).toMatch(/^venue: runner-1 is the only runner that is ready, and stays; restart another/)
    const restarted = await ask("restart", "runner-2")
    expect(restarted).toMatchObject({ code: 0, lines: [expect.any(String), "venue: runner-2 serves again"] })
    expect(await ask("restart", "runner-1")).toMatchObject({ code: 0 })
  })
  await audit(app, heard)

  for (const [words, said] of [
    [
      ["restart", "runner-9"],
      /^venue: no node is called runner-9; expected one of gateway-1, gateway-2, runner-1, runner-2$/
    ],
    [["reboot"], /^venue: "reboot" is no command; npm run cluster starts the cluster/]
  ] as const) {
    const refused = await ask(...words)
    expect(refused.code).toBe(1)
    expect(refused.lines.at(-1)).toMatch(said)
  }
  expect(await app.end("SIGTERM")).toEqual({ code: 0, signal: null })
  expect((await ask("status")).lines.at(-1)).toMatch(/^venue: no cluster runs on .*; npm run cluster starts it/)
})
