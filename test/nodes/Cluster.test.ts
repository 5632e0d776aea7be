/** `npm run cluster` under trading at both gateways while its processes are killed, frozen, drained and restarted. */
import { expect, it } from "vitest"
import * as Audit from "./Audit.ts"
import * as ClusterApp from "./ClusterApp.ts"
import * as DevApp from "./DevApp.ts"
import * as TraderRecord from "./TraderRecord.ts"
import * as Load from "./Load.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"

const traders = 4

/**
 * Trades at both gateways with equal numbers of traders, until `act` has finished and 100 more commands have
 * responses.
 */
async function underTrade(
  app: ClusterApp.ClusterApp,
  tag: string,
  gateways: ReadonlyArray<number>,
  act: () => Promise<void>
) {
  const records = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(TraderRecord.make)
  expect(records).toHaveLength(traders)
  const loads = await Promise.all(
    gateways.map((gateway, index) =>
      Load.begin(
        app.file.gateways[gateway]!.trade,
        records.filter((_, at) => at % gateways.length === index),
        tag,
        2,
        50
      )
    )
  )
  const answered = () => loads.reduce((sum, load) => sum + load.answered(), 0)
  await DevApp.until("50 commands are answered", () => answered() >= 50)
  await act()
  const before = answered()
  await DevApp.until("100 more commands are answered", () => answered() >= before + 100)
  for (const load of loads) load.stop()
  // A command without a response after 30 s counts as unknown.
  const waitsUntil = performance.now() + 30_000
  await DevApp.until(
    "every command is answered",
    () => loads.every((load) => load.isIdle()) || performance.now() > waitsUntil
  )
  await Promise.all(loads.flatMap(({ sockets }) => sockets.map((socket) => socket.close())))
  return records
}

/**
 * Compares both gateways' acknowledged commands with the state that gateway 2 shows. A command with an unknown
 * outcome might still be executed between the reads of two accounts, so all accounts are read until two consecutive
 * reads contain the same trades.
 */
async function audit(app: ClusterApp.ClusterApp, records: ReadonlyArray<TraderRecord.TraderRecord>): Promise<void> {
  const { trade } = app.file.gateways[1]!
  const read = () =>
    Promise.all(
      records.map(async (record): Promise<Audit.Account> => ({ record, truth: await Truth.read(trade, record.user) }))
    )
  const trades = (accounts: ReadonlyArray<Audit.Account>) => accounts.map(({ truth }) => truth.trades.length).join()
  let before = await read()
  let accounts = await read()
  while (trades(accounts) !== trades(before)) {
    before = accounts
    accounts = await read()
  }
  // Checks the first of the two reads, so that a fault which the first read repaired is still found.
  expect(Audit.faults(before)).toEqual([])
}

/** Returns whether the node runs as a new process that is ready. */
const hasRestarted = (app: ClusterApp.ClusterApp, name: string, before: number) => () =>
  ClusterApp.pids(app.site).get(name) !== before &&
  app.output().includes(`venue: ${name} ready, pid ${ClusterApp.pids(app.site).get(name)},`)

it("I1 I8 I10 I20: a cluster keeps every acknowledged command although runners are killed and frozen", async () => {
  const site = await ClusterApp.makeSite()
  const app = await ClusterApp.start(site, { VENUE_EXTRA_USERS: String(traders) })
  expect(app.file.gateways).toHaveLength(2)
  expect(app.file.gateways[0]).toEqual(app.file.urls)
  const pidOf = (name: string) => ClusterApp.pids(site).get(name)!

  const records = await underTrade(app, "run", [0, 1], async () => {
    const [dying, freezing] = [pidOf("runner-1"), pidOf("runner-2")]
    process.kill(dying, "SIGKILL")
    await DevApp.until("runner-1 serves again", hasRestarted(app, "runner-1", dying))
    process.kill(freezing, "SIGSTOP")
    await DevApp.until("runner-2 is killed and serves again", hasRestarted(app, "runner-2", freezing))
    expect(app.output()).toContain(`venue: runner-2 has not responded for 9 s and is being killed (pid ${freezing})`)
  })
  await audit(app, records)

  const dead = pidOf("gateway-1")
  process.kill(dead, "SIGKILL")
  const other = await TradeSocket.open(app.file.gateways[1]!.trade, app.file.users[0]!)
  await TradeSocket.subscribe(other, ["order_responses"])
  const rests = other.next(({ order_response: row }) => row)
  const order = { symbol: "GOLD-USD", side: "BUY", quantity: 0.1, price: 3_300, reduce_only: false }
  other.send("add_order", { ...order, order_type: "LIMIT", order_time_in_force: "GTC" })
  expect(await rests).toMatchObject({ status: "ACK" })
  await other.close()
  await DevApp.until("gateway-1 serves again", hasRestarted(app, "gateway-1", dead))

  expect(await app.end("SIGINT")).toEqual({ code: 130, signal: null })
})

it("an operator can drain and restart nodes while trading continues", async () => {
  const site = await ClusterApp.makeSite()
  const variables = { VENUE_EXTRA_USERS: String(traders), VENUE_CLUSTER_RUNNERS: "2" }
  const app = await ClusterApp.start(site, variables)
  const command = (...words: ReadonlyArray<string>) => ClusterApp.command(site, ...words)
  const pids = ClusterApp.pids(site)

  const { code, lines } = await command("status")
  expect(code).toBe(0)
  const cells = lines.map((line) => line.split(/ {2,}/))
  expect(cells[0]).toEqual(["NODE", "KIND", "ADDRESS", "PID", "RELEASE", "WANTED", "READY", "SHARDS", "SEEN"])
  const column = (index: number) => cells.slice(1).map((row) => row[index])
  expect(column(0)).toEqual(["gateway-1", "gateway-2", "runner-1", "runner-2"])
  expect(column(3)).toEqual(column(0).map((name) => String(pids.get(name!))))
  expect(new Set(column(6))).toEqual(new Set(["yes"]))
  expect(column(5)).toEqual(Array(4).fill("serving"))

  const records = await underTrade(app, "run", [0, 1], async () => {
    expect(await command("drain", "runner-2")).toMatchObject({ code: 0 })
    expect(ClusterApp.runs(pids.get("runner-2")!)).toBe(false)
    const last = await command("drain", "runner-1")
    expect(last).toMatchObject({ code: 1 })
    expect(last.lines.at(-1)).toMatch(
      /^venue: runner-1 is the only ready runner, so it was not drained; restart another runner/
    )
    const restarted = await command("restart", "runner-2")
    expect(restarted).toMatchObject({ code: 0, lines: [expect.any(String), "venue: runner-2 serves again"] })
    expect(await command("restart", "runner-1")).toMatchObject({ code: 0 })
  })
  await audit(app, records)

  for (const [words, message] of [
    [
      ["restart", "runner-9"],
      /^venue: no node is called runner-9; expected one of gateway-1, gateway-2, runner-1, runner-2$/
    ],
    [["reboot"], /^venue: "reboot" is not a command; npm run cluster starts a cluster/]
  ] as const) {
    const refused = await command(...words)
    expect(refused.code).toBe(1)
    expect(refused.lines.at(-1)).toMatch(message)
  }
  expect(await app.end("SIGTERM")).toEqual({ code: 0, signal: null })
  expect((await command("status")).lines.at(-1)).toMatch(
    /^venue: no cluster is running on .*; start it with npm run cluster/
  )
})
