/** Database roles: nodes, auditor and `explain` work under theirs and have no further rights. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { expect, it } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as TradeSocket from "./TradeSocket.ts"
import * as VenueProcesses from "./VenueProcesses.ts"

const site: DevApp.Site = { dataDir: "/nonexistent", ports: {} }

/** Runs a statement and returns its rows, or the database's message. */
const run = (url: string, statement: string): Promise<string | ReadonlyArray<object>> =>
  Effect.gen(function* () {
    const sql = yield* PgClient.makeClient({ url: Redacted.make(url) })
    return yield* sql.unsafe<object>(statement)
  }).pipe(
    Effect.catch((error) => Effect.succeed(String(error.cause ?? error))),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

const granted = async (owner: string, ...options: ReadonlyArray<string>) => {
  const tool = DevApp.launch(site, { VENUE_MIGRATION_DATABASE_URL: owner }, ["apps/database-roles/main.ts", ...options])
  const { code } = await tool.ended
  return { code, output: tool.output() }
}

const as = (url: string, role: string): string => {
  const own = new URL(url)
  own.username = role
  own.password = "a-password"
  return own.href
}

const [app, auditor, reader] = ["venue_app", "venue_auditor", "venue_reader"] as const

it("nodes trade, the auditor audits and explain reads, each under a role without further rights", async () => {
  const { url } = await Database.serve()
  const printed = await granted(url, "--print")
  expect([printed.code, printed.output]).toEqual([0, expect.stringContaining(`create role "${app}" login;`)])
  expect(printed.output).toContain(`grant select, insert on "public"."audit" to "${app}";`)
  const read = printed.output.split("\n").filter((line) => /to "venue_auditor", "venue_reader"/.test(line))
  expect(read.join("\n")).not.toMatch(/sealed|token_hash|secret_hash|code_hash/)
  expect(read.filter((line) => line.startsWith("grant select (")).length).toBeGreaterThan(5)
  expect((await granted(url)).code).toBe(0)
  // The second run, as after an upgrade, changes nothing.
  expect((await granted(url)).code).toBe(0)
  for (const role of [app, auditor, reader]) await run(url, `alter role ${role} password 'a-password'`)

  const runner = await VenueProcesses.launch(as(url, app), "runner-1")
  const gateway = await VenueProcesses.launch(as(url, app), "gateway-1")
  for (const node of [runner, gateway]) await VenueProcesses.ready(node)
  const [buyer, seller] = await VenueProcesses.seed(as(url, app))
  const filled = new Set<string>()
  for (const [side, trader] of [
    ["BUY", buyer],
    ["SELL", seller]
  ] as const) {
    const socket = await TradeSocket.open(gateway.tradeUrl, trader!, ({ order_response: row }) => {
      if (row?.status === "FILLED") filled.add(row.side)
    })
    await TradeSocket.subscribe(socket, ["order_responses"])
    socket.send("add_order", {
      symbol: "GOLD-USD",
      side,
      quantity: 1,
      price: 3_300,
      order_type: "LIMIT",
      order_time_in_force: "GTC",
      reduce_only: false,
      client_order_id: side
    })
  }
  await DevApp.until("both orders are filled", () => filled.size === 2, gateway.output)

  const audits = DevApp.launch(site, { VENUE_DATABASE_URL: as(url, auditor), VENUE_AUDITOR_HEALTH_PORT: "0" }, [
    "apps/auditor/main.ts"
  ])
  const isAudited = async () => {
    const [mode] = (await run(url, "select audited_at, fault from venue_mode")) as ReadonlyArray<
      Record<string, unknown>
    >
    return mode!["audited_at"] !== null && mode!["fault"] === null
  }
  await DevApp.until("an audit is complete", isAudited, audits.output)
  const explained = DevApp.launch(site, { VENUE_DATABASE_URL: as(url, reader) }, [
    "apps/explain/main.ts",
    "--account",
    buyer!.user_id
  ])
  await explained.ended
  expect(explained.output()).toMatch(/agrees: /)
  expect(explained.output()).not.toContain("DIFFERS")

  const denied = /AuthorizationError/
  for (const [role, statement] of [
    [app, "update audit set actor = 'nobody'"],
    [app, "delete from audit"],
    [app, "truncate audit"],
    [app, "alter table audit disable trigger all"],
    [app, "create table mine (a int)"],
    [app, "delete from ledger_entry"],
    [app, "update migration set name = 'other'"],
    [auditor, "insert into journal default values"],
    [auditor, "update audit set actor = 'nobody'"],
    [auditor, "select sealed_secret from api_key"],
    [auditor, "update venue_user set name = 'other'"],
    [reader, "insert into audit default values"],
    [reader, "update venue_mode set trading = 'HALTED'"],
    [reader, "select token_hash from operator"]
  ] as const)
    expect([statement, await run(as(url, role), statement)]).toEqual([statement, expect.stringMatching(denied)])
})

it("a node under the role of nodes refuses a database without the tables of its release", async () => {
  const { url } = await Database.serve()
  expect((await granted(url)).code).toBe(0)
  await run(url, `alter role ${app} password 'a-password'`)
  await run(url, "delete from migration where migration_id > 1")
  const runner = await VenueProcesses.launch(as(url, app), "runner-1")
  expect((await runner.ended).code).toBe(1)
  expect(runner.output()).toContain("the database lacks tables or indexes of this release (0005_operators")
  expect(runner.output()).toContain("run `npm run database-roles` with the owner's VENUE_MIGRATION_DATABASE_URL")
})
