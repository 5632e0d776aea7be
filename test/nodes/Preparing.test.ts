/** Health checks of nodes that prepare the tables or wait for other nodes. */
import * as Migrations from "@venue/postgres/Migrations"
import { expect, it } from "vitest"
import * as Command from "./Command.ts"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"
import * as VenueProcesses from "./VenueProcesses.ts"

/** Waits until the node answers that it is not ready for this reason. */
const waitsFor = async (node: VenueProcesses.NodeProcess, reason: RegExp): Promise<void> => {
  let last = ""
  await DevApp.until(`a node waits: ${reason}`, async () => {
    last = await VenueProcesses.reason(node)
    return reason.test(last)
  })
}

it("while the tables are prepared, each process is live, and not ready with the name of the migration", async () => {
  const { url } = await Database.serve()
  // The baseline creates this table too, so it waits until this transaction ends.
  const release = await Database.hold(url, "create table journal (held int)")
  const runner = await VenueProcesses.launch(url, "runner-1")
  await waitsFor(runner, /^Preparing the tables: migration 0001_baseline started\.$/)
  const others = await Promise.all(["gateway-1", "auditor"].map((name) => VenueProcesses.launch(url, name)))
  for (const node of others)
    await waitsFor(node, /^Preparing the tables: waiting for another process that prepares them\.$/)
  for (const node of [runner, ...others]) {
    expect(await VenueProcesses.health(node, "live")).toBe(200)
    expect(await VenueProcesses.health(node, "ready")).toBe(503)
  }
  expect(runner.output()).toContain("venue: migration 0001_baseline started")
  expect(runner.output()).not.toContain("completed in")

  await release()
  for (const node of [runner, ...others])
    await DevApp.until("a node is ready", async () => (await VenueProcesses.health(node, "ready")) === 200)
  expect(runner.output()).toMatch(/venue: migration 0001_baseline completed in \d+\.\d s/)
  expect(others[0]!.output()).not.toContain("0001_baseline started")
})

it("a gateway that waits for a table lock or for a runner answers with that reason and logs it", async () => {
  const { url } = await Database.serve()
  const migrated = await Command.run("apps/migrate/main.ts", [], { VENUE_DATABASE_URL: url })
  expect(migrated.code).toBe(0)
  expect(migrated.output).toContain("migration 0001_baseline completed in ")
  expect(migrated.output).toContain(`the tables are ready: migration ${Migrations.newestName}`)
  const again = await Command.run("apps/migrate/main.ts", [], { VENUE_DATABASE_URL: url })
  expect(again.output).not.toContain("started")
  expect(again.code).toBe(0)

  const release = await Database.hold(url, "lock table migration")
  const gateway = await VenueProcesses.launch(url, "gateway-1")
  const lock = `Preparing the tables: waiting for a lock on the table migration, up to migration ${Migrations.newestName}.`
  await waitsFor(gateway, new RegExp(`^${lock}$`))
  expect(await VenueProcesses.health(gateway, "live")).toBe(200)
  await DevApp.until("the log has the reason", () => gateway.output().includes(`venue: not ready yet: ${lock}`))
  await release()

  await waitsFor(
    gateway,
    /^Waiting for a runner: no desk has responded in the last 5 s\. Use another gateway, or try again after Retry-After\.$/
  )
  expect(await VenueProcesses.health(gateway, "live")).toBe(200)
  await DevApp.until("the log has the reason", () =>
    gateway.output().includes("venue: not ready yet: Waiting for a runner: ")
  )
  const runner = await VenueProcesses.launch(url, "runner-1")
  await VenueProcesses.ready(runner)
  await VenueProcesses.ready(gateway)

  const status = await Command.run("apps/status/main.ts", [], { VENUE_DATABASE_URL: url })
  expect(status.code).toBe(0)
  expect(status.output).toMatch(/^NODE +KIND +ADDRESS +RELEASE +WANTED +READY +SHARDS +SEEN$/m)
  expect(status.output).toMatch(/^runner-1 +runner +127\.0\.0\.1:\d+ +\S+ +serving +(yes|no) +\d+ +\d+\.\d s ago$/m)
  expect(status.output).toMatch(/^gateway-1 +gateway +/m)
})
