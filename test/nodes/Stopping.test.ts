/**
 * A venue that stops on SIGTERM: in-flight commands, cancel on disconnect, and a database that is unavailable or
 * hangs.
 */
import { marketStream, type MarketEvent } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { expect, it } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as Stranger from "./Stranger.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"

const symbol = "GOLD-USD"
/** Far from the market, so that the order rests. */
const far = { symbol, side: "BUY", quantity: 0.1, price: 3_300, reduce_only: false }
const resting = { ...far, order_type: "LIMIT", order_time_in_force: "GTC" }

it("on shutdown, responds to in-flight commands before it closes the socket with code 1001", async () => {
  const site = await DevApp.makeSite()
  const app = await DevApp.start(site)
  const [alice] = app.file.users
  const frames: Array<TradeSocket.Frame> = []
  const client = await Stranger.come(app.file.urls.trade, Stranger.address(1), (text) => frames.push(JSON.parse(text)))
  const send = (type: string, params: object) => client.send(JSON.stringify({ type, params }))
  send("auth", { hmac: TradeSocket.signed(alice!) })
  send("subscribe", { channels: ["order_responses"] })
  await DevApp.until("the channel is subscribed", () => frames.some(({ subscribed }) => subscribed !== undefined))

  Database.halt(site.dataDir, "SIGSTOP")
  for (let id = 0; id < 20; id++) send("add_order", { ...resting, client_order_id: `in-flight-${id}` })
  // The gateway responds to this malformed command itself, after it has received the commands before it.
  send("modify_stop_order", {})
  await DevApp.until("every command was taken", () => frames.some(({ err }) => err !== undefined))
  expect(frames.filter(({ order_response: order }) => order !== undefined)).toEqual([])
  const ended = app.end("SIGTERM")
  await DevApp.until("the venue refuses new connections", () => isTurnedAway(app.file.urls.trade))
  send("add_order", { ...resting, client_order_id: "late" })
  Database.halt(site.dataDir, "SIGCONT")

  expect(await client.ended).toEqual({ code: 1001, reason: "the venue is shutting down" })
  const orders = frames.flatMap(({ order_response: order }) => order ?? [])
  expect(orders.map(({ client_order_id: id, status }) => [id, status])).toEqual(
    [...Array.from({ length: 20 }, (_, id) => `in-flight-${id}`), "late"].map((id) => [id, "ACK"])
  )
  expect(await ended).toEqual({ code: 0, signal: null })
  const next = await DevApp.start(site)
  expect((await Truth.read(next.file.urls.trade, alice!)).open).toHaveLength(21)
  await next.end("SIGTERM")
})

it("I34: on shutdown, cancels the orders of cancel-on-disconnect connections before the process exits", async () => {
  const site = await DevApp.makeSite()
  const server = await Database.serve()
  const app = await DevApp.start(site, { VENUE_DATABASE_URL: server.url })
  const [alice, bob] = app.file.users
  const armed = await TradeSocket.open(app.file.urls.trade, alice!)
  const unarmed = await TradeSocket.open(app.file.urls.trade, bob!)
  const isArmed = armed.next(({ ack }) => (ack === undefined ? undefined : true))
  armed.send("cancel_on_disconnect", { cancel_on_disconnect: true })
  await isArmed
  for (const socket of [armed, unarmed]) {
    await TradeSocket.subscribe(socket, ["order_responses"])
    const rests = socket.next(({ order_response: order }) => order)
    socket.send("add_order", resting)
    expect(await rests).toMatchObject({ status: "ACK" })
  }
  expect((await app.end("SIGTERM")).code).toBe(0)

  const { ends, wakeUps } = await left(server.url)
  expect(ends).toEqual([alice!.user_id])
  expect(wakeUps).toEqual([])
})

it("exits with code 0 on SIGTERM even if its database is unavailable", async () => {
  const site = await DevApp.makeSite()
  const server = await Database.serve()
  const app = await DevApp.start(site, { ...DevApp.audited, VENUE_DATABASE_URL: server.url })
  const frames: Array<TradeSocket.Frame> = []
  const armed = await TradeSocket.open(app.file.urls.trade, app.file.users[0]!, (frame) => frames.push(frame))
  const isArmed = armed.next(({ ack }) => (ack === undefined ? undefined : true))
  armed.send("cancel_on_disconnect", { cancel_on_disconnect: true })
  await isArmed
  await TradeSocket.subscribe(armed, ["order_responses"])
  const rests = armed.next(({ order_response: order }) => order)
  armed.send("add_order", resting)
  await rests

  await server.stop("SIGKILL")
  const seen = () => `${JSON.stringify(frames)}\n${app.output()}`
  // A session might commit once more after the server has stopped, so the test waits until the venue detects the
  // outage.
  await DevApp.until("the venue logs the outage", () => app.output().includes("the database is unavailable"), seen)
  armed.send("add_order", resting)
  await DevApp.until("the order is refused", () => frames.some(({ err }) => err !== undefined), seen)
  expect(await app.end("SIGTERM")).toEqual({ code: 0, signal: null })
})

it("if the database hangs, exits with code 1 on SIGTERM and prints the reason", async () => {
  const site = await DevApp.makeSite()
  const app = await DevApp.start(site, { ...DevApp.audited, VENUE_STOP_SECONDS: "15" })
  Database.haltServer(site.dataDir, "SIGSTOP")
  const ending = await app.end("SIGTERM")
  Database.haltServer(site.dataDir, "SIGCONT")
  expect(ending).toEqual({ code: 1, signal: null })
  expect(app.output()).toContain("its database does not respond")
})

/** Returns whether a new connection is closed within 1 s, as happens while a venue stops. */
async function isTurnedAway(url: string): Promise<boolean> {
  const newcomer = await Stranger.come(url, Stranger.address(2))
  const end = await Promise.race([newcomer.ended, new Promise<void>((resolve) => setTimeout(resolve, 1_000))])
  newcomer.close()
  return end !== undefined
}

/**
 * Reads the accounts whose orders ended from the journal, and the users with cancel on disconnect from their wake-up
 * entries.
 */
const left = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(url) })
    const rows = yield* sql<{ readonly events: Uint8Array }>`
      select events from journal where stream = ${marketStream(MarketSymbol.make(symbol))} and length(events) > 0 order by seq`
    const events = rows.flatMap((row): ReadonlyArray<MarketEvent> => MarketRecord.decode(row.events))
    const ends = events.flatMap((event) => (event._tag === "Ended" ? [event.order.accountId] : []))
    return { ends, wakeUps: yield* sql`select user_id from wake_up where reason = 'armed'` }
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)
