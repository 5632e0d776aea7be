/** Starts, stops and restarts of the program that `npm start` runs. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import * as DevApp from "./DevApp.ts"
import * as Money from "./Money.ts"
import * as Operator from "./Operator.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"

const boot = ["scripts/boot.mjs", "apps/dev/main.ts"]

it("prints the first line of a start before the packages are checked", async () => {
  const site = await DevApp.makeSite()
  const app = DevApp.launch(site, {}, boot)
  const millis = await app.firstOutput
  expect(app.output()).toMatch(/^venue: starting apps\/dev\/main\.ts\n/)
  // On an idle machine, the first line takes less than 2 s.
  expect(millis).toBeLessThan(20_000)
  await app.end("SIGINT")
})

it("leaves no process running after Ctrl-C, and the next start restores all state and keys", async () => {
  const site = await DevApp.makeSite()
  const first = await DevApp.start(site, DevApp.audited)
  const users = first.file.users.filter(({ name }) => name !== "carol")
  await trade(first)
  const before = await Promise.all(users.map((user) => Truth.read(first.file.urls.trade, user)))
  expect(before.map(({ open, trades }) => [open.length, trades.length])).toEqual([
    [1, 1],
    [0, 1]
  ])
  expect(DevApp.postgresOf(site.dataDir)).toHaveLength(1)
  await first.end("SIGINT")
  expect(DevApp.postgresOf(site.dataDir)).toEqual([])

  const second = await DevApp.start(site, DevApp.audited)
  expect(second.file).toEqual(first.file)
  const after = await Promise.all(users.map((user) => Truth.read(second.file.urls.trade, user)))
  expect(after.map(lasting)).toEqual(before.map(lasting))
  const secret = ["dev.json", "secrets.json", join("postgres", "postgres.json")]
  expect(secret.map((file) => statSync(join(site.dataDir, file)).mode & 0o777)).toEqual([0o600, 0o600, 0o600])
  await second.end("SIGTERM")
  expect(DevApp.postgresOf(site.dataDir)).toEqual([])
})

it("I34: after a crash, cancels orders of cancel-on-disconnect connections before the first sign-in", async () => {
  const site = await DevApp.makeSite()
  let app = await DevApp.start(site)
  const [alice] = app.file.users
  await Money.expectNotAudited(app.file, alice!)
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    const armed = await TradeSocket.open(app.file.urls.trade, alice!)
    await TradeSocket.subscribe(armed, ["order_responses"])
    const isArmed = armed.next(({ ack }) => (ack === undefined ? undefined : true))
    armed.send("cancel_on_disconnect", { cancel_on_disconnect: true })
    await isArmed
    await placeFarAway(armed)
    expect((await Truth.read(app.file.urls.trade, alice!)).open).toHaveLength(1)
    await app.end(signal)

    app = await DevApp.start(site)
    const socket = await TradeSocket.open(app.file.urls.trade, alice!)
    await TradeSocket.subscribe(socket, ["order_responses"])
    expect((await Truth.read(app.file.urls.trade, alice!)).open).toEqual([])
    await placeFarAway(socket)
    // A gateway's lease expires after 4 s.
    await new Promise((later) => setTimeout(later, 4_500))
    expect((await Truth.read(app.file.urls.trade, alice!)).open).toHaveLength(1)
    socket.send("cancel_all_orders", {})
    await socket.next(({ order_response: row }) => row)
    await socket.close()
  }
  await app.end("SIGINT")
})

/** Checks two invariants with one kill, because starts take most of the time. */
it("I55, I14: after a crash, a dead-man switch fires once, and deposits and withdrawals continue", async () => {
  const site = await DevApp.makeSite()
  const onThisMachine = { ...DevApp.audited, VENUE_WEBHOOK_LOOPBACK: "on" }
  const first = await DevApp.start(site, onThisMachine)
  const [alice, bob] = first.file.users
  const money = await Money.begin(first.file, bob!)
  const socket = await TradeSocket.open(first.file.urls.trade, alice!)
  await TradeSocket.subscribe(socket, ["order_responses"])
  await placeFarAway(socket)
  const isOn = socket.next(({ cancel_all_after_response: response }) => response)
  socket.send("cancel_all_after", { timeout_secs: 5 })
  expect(await isOn).toMatchObject({ timeout_secs: 5 })
  await first.end("SIGKILL")

  const second = await DevApp.start(site, onThisMachine)
  const open = async () => (await Truth.read(second.file.urls.trade, alice!)).open.length
  await DevApp.until("the order is cancelled", async () => (await open()) === 0)
  const again = await TradeSocket.open(second.file.urls.trade, alice!)
  await TradeSocket.subscribe(again, ["order_responses"])
  await placeFarAway(again)
  await new Promise((later) => setTimeout(later, 1_000))
  expect(await open()).toBe(1)
  await Money.end(second.file, money)
  await second.end("SIGINT")
})

/** Places an order far from the market and waits for its ACK. */
async function placeFarAway(socket: TradeSocket.TradeSocket): Promise<void> {
  const rests = socket.next(({ order_response: row }) => row)
  const order = { symbol: "GOLD-USD", side: "BUY", quantity: 0.1, price: 3_300, reduce_only: false }
  socket.send("add_order", { ...order, order_type: "LIMIT", order_time_in_force: "GTC" })
  expect(await rests).toMatchObject({ status: "ACK" })
}

it("a second start reports the data directory or port that is in use, and the first venue keeps running", async () => {
  const site = await DevApp.makeSite()
  const first = await DevApp.start(site)
  const before = DevApp.readFile(site)
  const [alice] = before.users
  const socket = await TradeSocket.open(before.urls.trade, alice!)
  const other = await DevApp.makeSite()
  const port = `127\\.0\\.0\\.1:(${Object.values(site.ports).join("|")})`

  const attempts: ReadonlyArray<readonly [DevApp.Site, string]> = [
    [site, `(${site.dataDir}|${port})`],
    [{ ...other, dataDir: site.dataDir }, site.dataDir],
    [{ ...site, dataDir: other.dataDir }, port]
  ]
  for (const [place, obstacle] of attempts) {
    const second = DevApp.launch(place)
    expect((await second.ended).code).toBe(1)
    expect(second.output()).toMatch(new RegExp(`venue: .*${obstacle}`))
    expect(second.output()).not.toMatch(/^\s+at /m)
    expect(DevApp.readFile(site)).toEqual(before)
    expect(socket.isOpen()).toBe(true)
  }
  expect(DevApp.postgresOf(other.dataDir)).toEqual([])
  await trade(first)
  await first.end("SIGINT")
})

it("rule 1.8: a contract that an operator adds is tradable without a restart, and after each restart", async () => {
  const site = await DevApp.makeSite()
  const ba = { base_asset: "BA", product_category: "EQUITY", tick_size: 0.01, lot_size: 0.001, min_quantity: 0.1 }
  const terms = { ...ba, max_quantity: 100_000, default_max_leverage: 10, reason: "asked for" }

  for (const start of ["first", "second", "third"]) {
    const app = await DevApp.start(site)
    const ask = Operator.of(app.file)
    if (start === "first") {
      const isInForce = async () => {
        const answer = await ask("POST", "/instruments", terms)
        return (answer as { readonly in_force: boolean }).in_force
      }
      await DevApp.until("the contract is in force", isInForce)
      await ask("POST", "/prices", { symbol: "BA-USD", price: 180, reason: "opening" })
    }
    expect(await ask("POST", "/instruments", terms)).toMatchObject({ symbol: "BA-USD", in_force: true })
    const [alice] = app.file.users
    const socket = await TradeSocket.open(app.file.urls.trade, alice!)
    await TradeSocket.subscribe(socket, ["order_responses"])
    const rests = socket.next(({ order_response: row }) => row)
    const order = { symbol: "BA-USD", side: "BUY", quantity: 1, price: 179, reduce_only: false }
    socket.send("add_order", { ...order, order_type: "LIMIT", order_time_in_force: "GTC" })
    expect(await rests).toMatchObject({ status: "ACK", symbol: "BA-USD" })
    await app.end("SIGINT")
  }
})

it("rejects a start with a different number of desks from the first start", async () => {
  const site = await DevApp.makeSite()
  const first = await DevApp.start(site, { VENUE_DESKS: "4" })
  await first.end("SIGINT")
  const second = DevApp.launch(site, { VENUE_DESKS: "5" })
  expect((await second.ended).code).toBe(1)
  expect(second.output()).toContain("VENUE_DESKS was 4 at the first start of this venue and cannot be changed to 5")
  expect(existsSync(join(site.dataDir, "dev.json"))).toBe(false)
  expect(DevApp.postgresOf(site.dataDir)).toEqual([])
  const third = await DevApp.start(site, { VENUE_DESKS: "4" })
  await third.end("SIGINT")
})

/** Alice places an order, and Bob fills half of it. */
async function trade({ file }: DevApp.DevApp): Promise<void> {
  const [alice, bob] = file.users
  const maker = await TradeSocket.open(file.urls.trade, alice!)
  const taker = await TradeSocket.open(file.urls.trade, bob!)
  await TradeSocket.subscribe(maker, ["order_responses"])
  await TradeSocket.subscribe(taker, ["order_responses"])
  const order = {
    symbol: "GOLD-USD",
    order_time_in_force: "GTC",
    order_type: "LIMIT",
    price: 3_400,
    reduce_only: false
  }
  const rests = maker.next(({ order_response: row }) => row)
  maker.send("add_order", { ...order, side: "SELL", quantity: 0.2 })
  expect(await rests).toMatchObject({ status: "ACK" })
  const meets = taker.next(({ order_response: row }) => (row?.status === "ACK" ? undefined : row))
  taker.send("add_order", { ...order, side: "BUY", quantity: 0.1 })
  expect(await meets).toMatchObject({ status: "FILLED", quantity_remaining: 0 })
  await Promise.all([maker.close(), taker.close()])
}

/** Returns the part of the state that does not depend on prices. */
const lasting = ({ balance, open, positions, trades }: Truth.Truth) => ({
  open,
  trades,
  balance: [balance.deposit, balance.fees, balance.realised_pnl, balance.net_funding],
  positions: positions.map(({ position, realised_pnl, symbol }) => ({ symbol, position, realised_pnl }))
})
