/**
 * The whole venue in one process under floods, malformed clients and clients that stop reading, together with
 * well-behaved traders.
 */
import { expect, it } from "vitest"
import * as Pools from "../../apps/process/Pools.ts"
import * as Audit from "./Audit.ts"
import * as Churn from "./Churn.ts"
import * as DevApp from "./DevApp.ts"
import * as Floods from "./Floods.ts"
import * as TraderRecord from "./TraderRecord.ts"
import * as Kernel from "./Kernel.ts"
import * as Load from "./Load.ts"
import * as Operator from "./Operator.ts"
import * as Stalled from "./Stalled.ts"
import * as Stranger from "./Stranger.ts"
import * as Truth from "./Truth.ts"

/**
 * Limit for the process's growth over its idle size. The clients that never read request twice as much data. The
 * venue is allowed to buffer 1 MiB per connection, less than 40 MiB in total. The rest of the limit is heap not yet
 * garbage-collected.
 */
const maxGrowth = 512 * 1024 * 1024
const prices = [...Load.prices, [Floods.symbol, Floods.price]] as const
/** Number of orders from each of the four flooding users. */
const floodOrders = 2_500
/** Number of cancels from one user, more than the burst that the rate limit allows after an idle time. */
const floodCancels = 12_500
const cancelBurst = 12_000
const floodQuestions = 20_000
const deafReaders = 20
/** Limit for the venue's database connections, which it opens on demand. */
const maxPool = 10 + Pools.sizes.gateway.tables

/** Errors that a very busy machine causes. They allow a retry or report an unknown outcome. */
const honest = /^ServerError: .*(try again|not known|unknown)/
const unread = { code: 1013, reason: "the client did not read its frames; 1 MiB was waiting" }

it("I48 I49: keeps memory bounded and serves well-behaved traders while other clients flood the venue", async () => {
  const site = await DevApp.makeSite()
  // Fixed prices keep every order inside its price band.
  const app = await DevApp.start(site, {
    ...DevApp.audited,
    VENUE_EXTRA_USERS: "8",
    VENUE_RATE_LIMITS: "on",
    VENUE_SIMULATED_PRICES: "off"
  })
  const { market_data: marketData, rest, trade } = app.file.urls
  const operator = Operator.of(app.file)
  for (const [symbol, price] of prices) await operator("POST", "/prices", { symbol, price })
  const traders = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(TraderRecord.make)
  const [good, flooders, [cancelling, asking]] = [traders.slice(0, 2), traders.slice(2, 6), traders.slice(6)]
  const filesAtRest = Kernel.openFiles(app.pid)
  const atRest = Kernel.residentBytes(app.pid)
  const memory = Kernel.watchResident(app.pid)

  const received: Array<string> = []
  const reader = await Stranger.come(marketData, Stranger.address(0), (text) => received.push(text))
  reader.send(Stalled.subscription(["trade"]))
  await DevApp.until("the reader is subscribed", () => received.length > 0)
  const load = await Load.begin(trade, good, "good", 1, 20)
  const ports = [rest, trade, marketData].map((url) => Number(new URL(url).port))
  const churn = Churn.begin(ports, Stranger.address(1))
  const stalled = await Promise.all([
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
      flooders.map((record, index) => Floods.orders(trade, record, index % 2 === 0 ? "BUY" : "SELL", floodOrders))
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
    Stalled.readAgain(marketData, Stranger.address(2))
  ])
  const late = await Promise.all([trade, marketData].map((url) => Stalled.lateReader(url, Stranger.address(4))))
  await DevApp.until("every reader that stopped is disconnected", () => ![...deaf, ...stalled].some(Stalled.isHeld))
  await DevApp.until("100 more commands of the well-behaved traders are answered", () => load.answered() > before + 100)
  await DevApp.until("the address with short connections is refused", () => churn.refused() > 0)
  await churn.stop()
  load.stop()
  await DevApp.until("every command is answered", load.isIdle)

  const failures = [...errors.flat(), ...questions.errors, ...load.errors()]
  expect(failures.filter((error) => !honest.test(error))).toEqual([])
  expect(newcomer.balance.deposit).toBe(100_000)
  const { answers, seconds } = cancels
  expect(answers.map(({ id }) => id)).toEqual(ids)
  const done = answers.filter(({ answer }) => answer === "NO_SUCH_ORDER").length
  expect(done + answers.filter(({ answer }) => answer === "RateLimited").length).toBe(ids.length)
  // The rate limit allows its burst after an idle time, plus its refill while the cancels are processed.
  expect(done).toBeLessThanOrEqual(cancelBurst + Math.ceil((seconds * cancelBurst) / 60))
  expect(late).toEqual([unread, unread])
  expect(wrong.map(({ code }) => code)).toEqual([1003, 1003, 1009, 1009, 1008])
  expect([reader, ...load.sockets].every((socket) => socket.isOpen())).toBe(true)

  // A slow reader misses superseded periodic updates and keeps its connection.
  expect([again.wasHeld, again.kept]).toEqual([true, 0])

  const accounts = await Promise.all(
    [...good, ...flooders].map(async (record): Promise<Audit.Account> => ({
      record,
      truth: await Truth.read(trade, record.user)
    }))
  )
  expect(Audit.faults(accounts)).toEqual([])
  const trades = new Set(accounts.flatMap(({ truth }) => truth.trades.map(({ trade_id }) => trade_id)))
  const record = received.map((text) => JSON.parse(text)).filter(({ type }) => type === "trade")
  expect(record.map(({ sequence }) => sequence)).toEqual(record.map((_, index) => index + 1))
  expect(new Set(record.map(({ trade_id }) => trade_id))).toEqual(trades)
  expect(await operator("GET", "/proof")).toMatchObject({ balanced: true })

  expect(memory.stop() - atRest).toBeLessThan(maxGrowth)
  for (const each of [reader, again.reader, ...stalled, ...deaf]) each.close()
  await Promise.all(load.sockets.map((socket) => socket.close()))
  await DevApp.until("their sockets are closed", () => Kernel.openFiles(app.pid) <= filesAtRest + maxPool)
  expect(app.output()).not.toContain("ERROR")
  await app.end("SIGINT")
})
