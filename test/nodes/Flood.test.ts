/** The whole venue in one process under floods, strangers and readers that stop, beside people who behave. */
import { expect, it } from "vitest"
import * as Pools from "../../apps/process/Pools.ts"
import * as Audit from "./Audit.ts"
import * as Churn from "./Churn.ts"
import * as DevApp from "./DevApp.ts"
import * as Floods from "./Floods.ts"
import * as Heard from "./Heard.ts"
import * as Kernel from "./Kernel.ts"
import * as Load from "./Load.ts"
import * as Operator from "./Operator.ts"
import * as Stalled from "./Stalled.ts"
import * as Stranger from "./Stranger.ts"
import * as Truth from "./Truth.ts"

/**
 * What the process may take beyond what it took at rest. The deaf alone ask for twice as much. The venue may hold 1 MiB
 * for each connection, less than 40 MiB in all; the rest is room for the heap, which grows before it is collected.
 */
const maxGrowth = 512 * 1024 * 1024
const prices = [...Load.prices, [Floods.symbol, Floods.price]] as const
/** Of each of four. */
const floodOrders = 2_500
/** More than anybody may send from idle. */
const floodCancels = 12_500
const cancelBurst = 12_000
const floodQuestions = 20_000
const deafReaders = 20
/** Connections of the venue to its database, which it opens as it needs them. */
const maxPool = 10 + Pools.sizes.gateway.tables

/** Not done and to be tried again, or not known: what a machine that is very busy brings. */
const honest = /^ServerError: .*(try again|not known|unknown)/
const unread = { code: 1013, reason: "frames were not read; 1 MiB was waiting" }

it("I48 I49: floods, strangers and readers that stop take bounded memory, and who behaves is answered and loses nothing", async () => {
  const site = await DevApp.makeSite()
  // Prices that stand still keep every order in its band.
  const app = await DevApp.start(site, {
    ...DevApp.audited,
    VENUE_EXTRA_USERS: "8",
    VENUE_RATE_LIMITS: "on",
    VENUE_SIMULATED_PRICES: "off"
  })
  const { market_data: marketData, rest, trade } = app.file.urls
  const operator = Operator.of(app.file)
  for (const [symbol, price] of prices) await operator("POST", "/prices", { symbol, price })
  const traders = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(Heard.make)
  const [good, flooders, [cancelling, asking]] = [traders.slice(0, 2), traders.slice(2, 6), traders.slice(6)]
  const filesAtRest = Kernel.openFiles(app.pid)
  const atRest = Kernel.residentBytes(app.pid)
  const memory = Kernel.watchResident(app.pid)

  const told: Array<string> = []
  const reader = await Stranger.come(marketData, Stranger.address(0), (text) => told.push(text))
  reader.send(Stalled.subscription(["trade"]))
  await DevApp.until("the reader is subscribed", () => told.length > 0)
  const load = await Load.begin(trade, good, "good", 1, 20)
  const ports = [rest, trade, marketData].map((url) => Number(new URL(url).port))
  const churn = Churn.begin(ports, Stranger.address(1))
  const pulses: Array<string> = []
  const [pulsed, ...stalled] = await Promise.all([
    Stalled.pulseReader(marketData, Stranger.address(2), (text) => pulses.push(text)),
    Stalled.tradeReader(marketData, Stranger.address(2)),
    Stalled.tradeReader(marketData, Stranger.address(2)),
    Stalled.orderReader(trade, Stranger.address(2), flooders[0]!.user),
    Stalled.orderReader(trade, Stranger.address(2), flooders[1]!.user)
  ])

  const before = load.answered()
  const deaf = await Promise.all(Array.from({ length: deafReaders }, () => Floods.deaf(trade, Stranger.address(3))))
  const ids = Array.from({ length: floodCancels }, (_, index) => `none-${index}`)
  const [errors, cancels, questions, wrong, newcomer, again] = await Promise.all([
    Promise.all(
      flooders.map((heard, index) => Floods.orders(trade, heard, index % 2 === 0 ? "BUY" : "SELL", floodOrders))
    ),
    Floods.cancels(trade, cancelling!.user, ids),
    Floods.questions(trade, asking!.user, floodQuestions),
    Promise.all([
      Floods.ending(trade, Stranger.address(5), Buffer.from("{}")),
      Floods.ending(marketData, Stranger.address(5), Buffer.from("{}")),
      Floods.ending(trade, Stranger.address(5), "x".repeat(64 * 1024 + 1)),
      Floods.ending(marketData, Stranger.address(5), "x".repeat(64 * 1024 + 1)),
      Floods.ending(trade, Stranger.address(5), "{", 12_500)
    ]),
    Truth.read(trade, app.file.users[0]!),
    Stalled.readAgain(pulsed, pulses)
  ])
  const late = await Promise.all([trade, marketData].map((url) => Stalled.lateReader(url, Stranger.address(4))))
  await DevApp.until("all who stopped reading are gone", () => ![...deaf, ...stalled].some(Stalled.isHeld))
  await DevApp.until("those who behave were answered", () => load.answered() > before + 100)
  await DevApp.until("the address that comes and goes is refused", () => churn.refused() > 0)
  await churn.stop()
  load.stop()
  await DevApp.until("the last answer has come", load.isIdle)

  // What each was told.
  const failures = [...errors.flat(), ...questions.errors, ...load.errors()]
  expect(failures.filter((error) => !honest.test(error))).toEqual([])
  expect(newcomer.balance.deposit).toBe(100_000)
  const { answers, seconds } = cancels
  expect(answers.map(({ id }) => id)).toEqual(ids)
  const done = answers.filter(({ answer }) => answer === "NO_SUCH_ORDER").length
  expect(done + answers.filter(({ answer }) => answer === "RateLimited").length).toBe(ids.length)
  // A burst from idle, and what the minute's limit lets in meanwhile: a busy machine takes its time over them.
  expect(done).toBeLessThanOrEqual(cancelBurst + Math.ceil((seconds * cancelBurst) / 60))
  expect(late).toEqual([unread, unread])
  expect(wrong.map(({ code }) => code)).toEqual([1003, 1003, 1009, 1009, 1008])
  expect([reader, ...load.sockets].every((socket) => socket.isOpen())).toBe(true)

  // What the next pulse says better is left out, and costs nobody the connection.
  expect(again).toEqual({ wasHeld: true, kept: 0 })

  // What is true.
  const accounts = await Promise.all(
    [...good, ...flooders].map(async (heard): Promise<Audit.Account> => ({
      heard,
      truth: await Truth.read(trade, heard.user)
    }))
  )
  expect(Audit.faults(accounts)).toEqual([])
  const trades = new Set(accounts.flatMap(({ truth }) => truth.trades.map(({ trade_id }) => trade_id)))
  const heard = told.map((text) => JSON.parse(text)).filter(({ type }) => type === "trade")
  expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_, index) => index + 1))
  expect(new Set(heard.map(({ trade_id }) => trade_id))).toEqual(trades)
  expect(await operator("GET", "/proof")).toMatchObject({ balanced: true })

  // What it took.
  expect(memory.stop() - atRest).toBeLessThan(maxGrowth)
  for (const each of [reader, pulsed, ...stalled, ...deaf]) each.close()
  await Promise.all(load.sockets.map((socket) => socket.close()))
  await DevApp.until("their sockets are given back", () => Kernel.openFiles(app.pid) <= filesAtRest + maxPool)
  expect(app.output()).not.toContain("ERROR")
  await app.end("SIGINT")
})
