/** The database server dies under a venue that runs, and comes back. */
import { expect, it } from "vitest"
import * as Audit from "./Audit.ts"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as Heard from "./Heard.ts"
import * as Load from "./Load.ts"
import type * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"

const accepted = new Set(["ACK", "FILLED", "MODIFIED", "CANCELLED"])

it("I1 I51: without its database the venue acknowledges nothing and says so; with it, all that was acknowledged is there", async () => {
  const site = await DevApp.makeSite()
  const server = await Database.serve()
  const app = await DevApp.start(site, {
    ...DevApp.audited,
    VENUE_EXTRA_USERS: "3",
    VENUE_DATABASE_URL: server.url
  })
  const [one, two, three] = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(Heard.make)
  const traders = [one!, two!, three!]

  for (const signal of ["SIGKILL", "SIGINT"] as const) {
    const load = await Load.begin(app.file.urls.trade, traders, signal, 1)
    await DevApp.until("orders are answered", () => load.answered() > 100)
    expect(await isReady(app)).toBe(true)

    await server.stop(signal)
    await Promise.all(load.sockets.map((socket) => socket.next(({ err }) => err)))
    const told: Array<string> = []
    for (const socket of load.sockets) void hearAll(socket, told)
    await DevApp.until("the venue says that it is not ready", async () => !(await isReady(app)))
    await DevApp.until("many are refused", () => load.errors().length > 50)
    expect(told.filter((status) => accepted.has(status))).toEqual([])
    expect([...new Set(load.errors())].filter((error) => !honest.test(error))).toEqual([])
    expect(load.sockets.every((socket) => socket.isOpen())).toBe(true)

    await server.start()
    const before = load.answered()
    await DevApp.until("orders are answered again", () => load.answered() > before + 100)
    await DevApp.until("the venue says that it is ready", () => isReady(app))
    const outages = signal === "SIGKILL" ? 1 : 2
    await DevApp.until("the outage is said to be over", () => lines(app, backOfVenue).length === outages)
    load.stop()
    await DevApp.until("the last answer has come", load.isIdle)
    expect(load.sockets.every((socket) => socket.isOpen())).toBe(true)
    await Promise.all(load.sockets.map((socket) => socket.close()))

    const accounts = await Promise.all(
      traders.map(async (heard) => ({ heard, truth: await Truth.read(app.file.urls.trade, heard.user) }))
    )
    expect(Audit.faults(accounts), `after ${signal}`).toEqual([])
    for (const account of accounts) Audit.accept(account)
  }
  const [ofVenue, ofAuditor] = [/^(?!venue: auditor)/, /^venue: auditor/].map((whose) =>
    lines(app, /WARN|ERROR|^\s+at /).filter((line) => whose.test(line))
  )
  expect(ofVenue!.map(outage)).toEqual(["out", "back", "out", "back"])
  // It asks every two seconds, and may not have noticed that the first outage was over.
  expect(ofAuditor!.map(outage).filter((word) => word !== "out" && word !== "back")).toEqual([])
  expect(ofAuditor!.length).toBeLessThanOrEqual(4)
  expect((await app.end("SIGINT")).signal).toBe(null)
})

it("I1: a venue whose own database server is killed starts it again and goes on with all that was acknowledged", async () => {
  const site = await DevApp.makeSite()
  const app = await DevApp.start(site, { ...DevApp.audited, VENUE_EXTRA_USERS: "2" })
  const traders = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(Heard.make)
  const load = await Load.begin(app.file.urls.trade, traders, "own", 1)
  await DevApp.until("orders are answered", () => load.answered() > 100)

  const [pid, ...others] = DevApp.postgresOf(site.dataDir)
  expect(others).toEqual([])
  process.kill(pid!, "SIGKILL")
  await DevApp.until("another server runs", () => DevApp.postgresOf(site.dataDir).some((other) => other !== pid))
  const before = load.answered()
  await DevApp.until("orders are answered again", () => load.answered() > before + 100)
  load.stop()
  await DevApp.until("the last answer has come", load.isIdle)
  expect(load.sockets.every((socket) => socket.isOpen())).toBe(true)

  const accounts = await Promise.all(
    traders.map(async (heard) => ({ heard, truth: await Truth.read(app.file.urls.trade, heard.user) }))
  )
  expect(Audit.faults(accounts)).toEqual([])
  await app.end("SIGINT")
  expect(DevApp.postgresOf(site.dataDir)).toEqual([])
})

/** The auditor says so too, sooner or later than the venue. */
const backOfVenue = /^(?!venue: auditor).*is back after \d+ s/

/** Any other line stays as it is. */
const outage = (line: string): string => / the database is (out|back)/.exec(line)?.[1] ?? line

const lines = (app: DevApp.DevApp, like: RegExp): ReadonlyArray<string> =>
  app
    .output()
    .split("\n")
    .filter((line) => like.test(line))

/** Not done and to be tried again, or not known. */
const honest = /^ServerError: .*(try again|not known|unknown)/

/** Until the socket closes, every word about an order. */
async function hearAll(socket: TradeSocket.TradeSocket, told: Array<string>): Promise<void> {
  await socket
    .next(({ order_response: order }) => {
      if (order !== undefined) told.push(order.status)
      return undefined
    })
    .catch(() => {})
}

async function isReady({ file }: DevApp.DevApp): Promise<boolean> {
  const answer = await fetch(`${file.urls.rest}/health/ready`)
  return answer.ok
}
