/** Failed starts, which print one sentence and leave the data directory unchanged. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"

it("if a setting, the data directory or a port is invalid, prints one sentence and exits", async () => {
  const site = await DevApp.makeSite()
  const file = join(site.dataDir, "file")
  writeFileSync(file, "")
  const taken = createServer().listen(Number(site.ports["VENUE_TRADE_PORT"]), "127.0.0.1")
  onTestFinished(() => void taken.close())
  const free = await DevApp.freePorts()

  await expectRefusal(site, { VENUE_REST_PORT: "rest" }, "VENUE_REST_PORT: expected a port, 1 to 65535")
  await expectRefusal(site, { VENUE_REST_PORT: "70000" }, "VENUE_REST_PORT: expected a port, 1 to 65535")
  await expectRefusal(site, { VENUE_MARKET_MAKER: "yes" }, 'VENUE_MARKET_MAKER: expected "on" | "off"')
  await expectRefusal(
    site,
    {},
    /^the trade socket cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.* set VENUE_TRADE_PORT to another/
  )
  // These folders cannot be created by any user.
  for (const dataDir of [file, join(file, "within"), "/sys/venue"]) {
    await expectRefusal(
      site,
      { ...free, VENUE_DATA_DIR: dataDir },
      /^VENUE_DATA_DIR: expected a folder .*\((E[A-Z]+): /
    )
  }
})

it("if the data of an earlier start is missing, fails and creates nothing", async () => {
  const site = await DevApp.makeSite()
  await (await DevApp.start(site)).end("SIGTERM")
  const home = join(site.dataDir, "postgres")
  const memory = join(home, "postgres.json")
  const data = join(resolve(home, JSON.parse(readFileSync(memory, "utf8")).directory), "data")
  const remedy = /is missing.*; restore the folder, or remove the whole data directory to start a new venue/

  for (const path of [home, memory, data, join(data, "base")]) {
    renameSync(path, `${path}.away`)
    await expectRefusal(site, {}, remedy)
    rmSync(path, { recursive: true, force: true })
    renameSync(`${path}.away`, path)
  }

  const server = await Database.serve(site.dataDir)
  await Database.run(server.url, "create database other")
  const other = server.url.replace(/\/venue(?=\?|$)/, "/other")
  await expectRefusal(
    site,
    { VENUE_DATABASE_URL: other },
    /^the database is empty, although this venue was started before: restore/
  )
  await expectRefusal(
    site,
    { VENUE_DATABASE_URL: server.url.replace(/\/venue(?=\?|$)/, "/none") },
    /^the database does not exist \(.*none/
  )
  await Database.run(server.url, "insert into migration (migration_id, name) values (9999, 'newer')")
  await expectRefusal(
    site,
    { VENUE_DATABASE_URL: server.url },
    /^the database is at migration 9999 and this release has migrations up to \d+: start the release/
  )
  await Database.run(server.url, "delete from migration where migration_id = 9999")
  await Database.run(server.url, "update migration set name = 'journal' where migration_id = 1")
  await expectRefusal(
    site,
    { VENUE_DATABASE_URL: server.url },
    /^migration 1 of the database is "journal" .* cannot be upgraded; start with an empty database and an empty data/
  )
  await Database.run(server.url, "update migration set name = 'baseline' where migration_id = 1")
  await server.stop("SIGINT")

  const secrets = join(site.dataDir, "secrets.json")
  renameSync(secrets, `${secrets}.away`)
  await expectRefusal(site, {}, /secrets\.json is missing or was not written by this release: restore it, or remove/)
  renameSync(`${secrets}.away`, secrets)
})

/** Expects that the start fails with this last line, without a stack trace and without a new database server. */
async function expectRefusal(site: DevApp.Site, variables: DevApp.Variables, message: RegExp | string): Promise<void> {
  const before = DevApp.postgresOf(site.dataDir)
  const launched = DevApp.launch(site, variables)
  expect(await launched.ended).toEqual({ code: 1, signal: null })
  const last = DevApp.lastLine(launched)
  if (typeof message === "string") expect(last).toBe(message)
  else expect(last).toMatch(message)
  expect(launched.output()).not.toMatch(/^\s+at /m)
  expect(DevApp.postgresOf(site.dataDir)).toEqual(before)
}
