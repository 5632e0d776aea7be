/** A running venue whose database server is killed and started again. */
import { expect, it } from "vitest"
import * as Audit from "./Audit.ts"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as TraderRecord from "./TraderRecord.ts"
import * as Load from "./Load.ts"
import type * as TradeSocket from "./TradeSocket.ts"
import * as Truth from "./Truth.ts"

const accepted = new Set(["ACK", "FILLED", "MODIFIED", "CANCELLED"])

it("I1 I51: a venue acknowledges no command while its database is unavailable", async () => {
  const site = await DevApp.makeSite()
  const server = await Database.serve()
  const app = await DevApp.start(site, {
    ...DevApp.audited,
    VENUE_EXTRA_USERS: "3",
    VENUE_DATABASE_URL: server.url
  })
  const [one, two, three] = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(TraderRecord.make)
  const traders = [one!, two!, three!]

  for (const signal of ["SIGKILL", "SIGINT"] as const) {
    const load = await Load.begin(app.file.urls.trade, traders, signal, 1)
    await DevApp.until("100 orders are answered", () => load.answered() > 100)
    expect(await isReady(app)).toBe(true)

    await server.stop(signal)
    await Promise.all(load.sockets.map((socket) => socket.next(({ err }) => err)))
    const statuses: Array<string> = []
    for (const socket of load.sockets) void collectStatuses(socket, statuses)
    await DevApp.until("the venue is not ready", async () => !(await isReady(app)))
    await DevApp.until("50 commands are refused", () => load.errors().length > 50)
    expect(statuses.filter((status) => accepted.has(status))).toEqual([])
    expect([...new Set(load.errors())].filter((error) => !honest.test(error))).toEqual([])
    expect(load.sockets.every((socket) => socket.isOpen())).toBe(true)

    await server.start()
    const before = load.answered()
    await DevApp.until("100 more orders are answered", () => load.answered() > before + 100)
    await DevApp.until("the venue is ready", () => isReady(app))
    await DevApp.until("the venue logs the end of the outage", () => outages(app).at(-1) === "available")
    load.stop()
    await DevApp.until("every command is answered", load.isIdle)
    expect(load.sockets.every((socket) => socket.isOpen())).toBe(true)
    await Promise.all(load.sockets.map((socket) => socket.close()))

    const accounts = await Promise.all(
      traders.map(async (record) => ({ record, truth: await Truth.read(app.file.urls.trade, record.user) }))
    )
    expect(Audit.faults(accounts), `after ${signal}`).toEqual([])
    for (const account of accounts) Audit.accept(account)
  }
  const [ofVenue, ofAuditor] = [/^(?!venue: auditor)/, /^venue: auditor/].map((whose) =>
    lines(app, /WARN|ERROR|^\s+at /).filter((line) => whose.test(line))
  )
  // On a busy machine, a slow response from the database might close a connection and count as another outage.
  expect(ofVenue!.map(outage).join(" ")).toMatch(/^unavailable available( unavailable available)+$/)
  // The auditor polls every 2 s and might see both outages as one.
  expect(ofAuditor!.map(outage).filter((word) => word !== "unavailable" && word !== "available")).toEqual([])
  expect(ofAuditor!.length).toBeLessThanOrEqual(4)
  expect((await app.end("SIGINT")).signal).toBe(null)
})

it("I1: if its own database server is killed, a venue restarts the server and keeps every acknowledged command", async () => {
  const site = await DevApp.makeSite()
  const app = await DevApp.start(site, { ...DevApp.audited, VENUE_EXTRA_USERS: "2" })
  const traders = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(TraderRecord.make)
  const load = await Load.begin(app.file.urls.trade, traders, "own", 1)
  await DevApp.until("100 orders are answered", () => load.answered() > 100)

  const [pid, ...others] = DevApp.postgresOf(site.dataDir)
  expect(others).toEqual([])
  process.kill(pid!, "SIGKILL")
  await DevApp.until("another server runs", () => DevApp.postgresOf(site.dataDir).some((other) => other !== pid))
  const before = load.answered()
  await DevApp.until("100 more orders are answered", () => load.answered() > before + 100)
  load.stop()
  await DevApp.until("every command is answered", load.isIdle)
  expect(load.sockets.every((socket) => socket.isOpen())).toBe(true)

  const accounts = await Promise.all(
    traders.map(async (record) => ({ record, truth: await Truth.read(app.file.urls.trade, record.user) }))
  )
  expect(Audit.faults(accounts)).toEqual([])
  await app.end("SIGINT")
  expect(DevApp.postgresOf(site.dataDir)).toEqual([])
})

/** Returns the outages that the venue logged, without the auditor's. */
const outages = (app: DevApp.DevApp): ReadonlyArray<string> =>
  lines(app, /^(?!venue: auditor).* the database is (unavailable|available)/).map(outage)

/** Returns "unavailable" or "available" for a line about the database, and any other line unchanged. */
const outage = (line: string): string => / the database is (unavailable|available)/.exec(line)?.[1] ?? line

const lines = (app: DevApp.DevApp, like: RegExp): ReadonlyArray<string> =>
  app
    .output()
    .split("\n")
    .filter((line) => like.test(line))

/** Errors that allow a retry or report an unknown outcome. */
const honest = /^ServerError: .*(try again|not known|unknown)/

async function collectStatuses(socket: TradeSocket.TradeSocket, statuses: Array<string>): Promise<void> {
  await socket
    .next(({ order_response: order }) => {
      if (order !== undefined) statuses.push(order.status)
      return undefined
    })
    .catch(() => {})
}

async function isReady({ file }: DevApp.DevApp): Promise<boolean> {
  const answer = await fetch(`${file.urls.rest}/health/ready`)
  return answer.ok
}
