/** What a venue that is asked to stop still answers, and what it leaves behind. */
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
/** Nobody meets it. */
const far = { symbol, side: "BUY", quantity: 0.1, price: 3_300, reduce_only: false }
const resting = { ...far, order_type: "LIMIT", order_time_in_force: "GTC" }

it("what is in flight when a venue is asked to stop is answered before its socket closes with 1001", async () => {
  const site = await DevApp.makeSite()
  const app = await DevApp.start(site)
  const [alice] = app.file.users
  const heard: Array<TradeSocket.Frame> = []
  const client = await Stranger.come(app.file.urls.trade, Stranger.address(1), (text) => heard.push(JSON.parse(text)))
  const say = (type: string, params: object) => client.send(JSON.stringify({ type, params }))
  say("auth", { hmac: TradeSocket.signed(alice!) })
  say("subscribe", { channels: ["order_responses"] })
  await DevApp.until("the channel is subscribed", () => heard.some(({ subscribed }) => subscribed !== undefined))

  Database.halt(site.dataDir, "SIGSTOP")
  for (let id = 0; id < 20; id++) say("add_order", { ...resting, client_order_id: `in-flight-${id}` })
  // It is answered at once and by itself, so what came before it has been taken.
  say("modify_stop_order", {})
  await DevApp.until("all of it was taken", () => heard.some(({ err }) => err !== undefined))
  expect(heard.filter(({ order_response: order }) => order !== undefined)).toEqual([])
  const ended = app.end("SIGTERM")
  await DevApp.until("the venue lets nobody in", () => isTurnedAway(app.file.urls.trade))
  say("add_order", { ...resting, client_order_id: "late" })
  Database.halt(site.dataDir, "SIGCONT")

  expect(await client.ended).toEqual({ code: 1001, reason: "the venue is going down" })
  const orders = heard.flatMap(({ order_response: order }) => order ?? [])
  expect(orders.map(({ client_order_id: id, status }) => [id, status])).toEqual(
    [...Array.from({ length: 20 }, (_, id) => `in-flight-${id}`), "late"].map((id) => [id, "ACK"])
  )
  expect(await ended).toEqual({ code: 0, signal: null })
  const next = await DevApp.start(site)
  expect((await Truth.read(next.file.urls.trade, alice!)).open).toHaveLength(21)
  await next.end("SIGTERM")
})

it("I34: a venue that was asked to stop has cancelled the armed orders before it is gone", async () => {
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

it("a venue whose database is gone ends all the same when it is asked to stop", async () => {
  const site = await DevApp.makeSite()
  const server = await Database.serve()
  const app = await DevApp.start(site, { ...DevApp.audited, VENUE_DATABASE_URL: server.url })
  const heard: Array<TradeSocket.Frame> = []
  const armed = await TradeSocket.open(app.file.urls.trade, app.file.users[0]!, (frame) => heard.push(frame))
  const isArmed = armed.next(({ ack }) => (ack === undefined ? undefined : true))
  armed.send("cancel_on_disconnect", { cancel_on_disconnect: true })
  await isArmed
  await TradeSocket.subscribe(armed, ["order_responses"])
  const rests = armed.next(({ order_response: order }) => order)
  armed.send("add_order", resting)
  await rests

  await server.stop("SIGKILL")
  const saw = () => `${JSON.stringify(heard)}\n${app.output()}`
  // Only the server is gone for certain: a session of it may commit once more before it knows.
  await DevApp.until("the outage is noticed", () => app.output().includes("the database is out"), saw)
  armed.send("add_order", resting)
  await DevApp.until("the order is refused", () => heard.some(({ err }) => err !== undefined), saw)
  expect(await app.end("SIGTERM")).toEqual({ code: 0, signal: null })
})

it("a venue whose database hangs ends within seconds when it is asked to stop, and says why", async () => {
  const site = await DevApp.makeSite()
  const app = await DevApp.start(site, DevApp.audited)
  Database.halt(site.dataDir, "SIGSTOP")
  const ending = await app.end("SIGTERM")
  Database.halt(site.dataDir, "SIGCONT")
  expect(ending).toEqual({ code: 1, signal: null })
  expect(app.output()).toContain("its database does not answer")
})

/** Whether a newcomer is sent off as from a venue that stops. */
async function isTurnedAway(url: string): Promise<boolean> {
  const newcomer = await Stranger.come(url, Stranger.address(2))
  const end = await Promise.race([newcomer.ended, new Promise((later) => setTimeout(later, 100))])
  newcomer.close()
  return end !== undefined
}

/** The accounts whose orders ended, as the journal has it, and the users that are armed. */
const left = (url: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(url) })
    const rows = yield* sql<{ readonly events: Uint8Array }>`
      select events from journal where stream = ${marketStream(MarketSymbol.make(symbol))} and length(events) > 0 order by seq`
    const events = rows.flatMap((row): ReadonlyArray<MarketEvent> => MarketRecord.decode(row.events))
    const ends = events.flatMap((event) => (event._tag === "Ended" ? [event.order.accountId] : []))
    return { ends, wakeUps: yield* sql`select user_id from wake_up where reason = 'armed'` }
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer), Effect.runPromise)
