/** A start that cannot succeed says why in a sentence, and leaves everything as it found it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"

it("a setting, a data directory or a port that cannot be right ends the start with a sentence", async () => {
  const site = await DevApp.makeSite()
  const file = join(site.dataDir, "file")
  writeFileSync(file, "")
  const taken = createServer().listen(Number(site.ports["VENUE_TRADE_PORT"]), "127.0.0.1")
  onTestFinished(() => void taken.close())
  const free = await DevApp.freePorts()

  await refused(site, { VENUE_REST_PORT: "rest" }, "VENUE_REST_PORT: expected a port, 1 to 65535")
  await refused(site, { VENUE_REST_PORT: "70000" }, "VENUE_REST_PORT: expected a port, 1 to 65535")
  await refused(site, { VENUE_MARKET_MAKER: "yes" }, 'VENUE_MARKET_MAKER: expected "on" | "off"')
  await refused(
    site,
    {},
    /^the trade socket cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.* set VENUE_TRADE_PORT to another/
  )
  // Nobody makes a folder there, whoever they are.
  for (const dataDir of [file, join(file, "within"), "/sys/venue"]) {
    await refused(site, { ...free, VENUE_DATA_DIR: dataDir }, /^VENUE_DATA_DIR: expected a folder .*\((E[A-Z]+): /)
  }
})

it("what is gone of a venue that was started before is not begun anew", async () => {
  const site = await DevApp.makeSite()
  await (await DevApp.start(site)).end("SIGTERM")
  const home = join(site.dataDir, "postgres")
  const memory = join(home, "postgres.json")
  const data = join(resolve(home, JSON.parse(readFileSync(memory, "utf8")).directory), "data")
  const remedy = /is gone.*; put the folder back, or remove the whole data directory to begin a new venue/

  for (const path of [home, memory, data, join(data, "base")]) {
    renameSync(path, `${path}.away`)
    await refused(site, {}, remedy)
    rmSync(path, { recursive: true, force: true })
    renameSync(`${path}.away`, path)
  }

  const server = await Database.serve(site.dataDir)
  await Database.run(server.url, "create database other")
  const other = server.url.replace(/\/venue(?=\?|$)/, "/other")
  await refused(
    site,
    { VENUE_DATABASE_URL: other },
    /^the database is empty, and this venue was started before: restore/
  )
  await refused(
    site,
    { VENUE_DATABASE_URL: server.url.replace(/\/venue(?=\?|$)/, "/none") },
    /^the database cannot be used \(.*none/
  )
  await Database.run(server.url, "insert into migration (migration_id, name) values (9999, 'newer')")
  await refused(
    site,
    { VENUE_DATABASE_URL: server.url },
    /^the database is at migration 9999 and this release has migrations up to \d+: start the release/
  )
  await Database.run(server.url, "delete from migration where migration_id = 9999")
  await Database.run(server.url, "update migration set name = 'journal' where migration_id = 1")
  await refused(
    site,
    { VENUE_DATABASE_URL: server.url },
    /^migration 1 of the database is "journal" .* cannot be upgraded; start with an empty database and an empty data/
  )
  await Database.run(server.url, "update migration set name = 'baseline' where migration_id = 1")
  await server.stop("SIGINT")

  const secrets = join(site.dataDir, "secrets.json")
  renameSync(secrets, `${secrets}.away`)
  await refused(site, {}, /secrets\.json is missing or was not written by this release: restore it, or remove/)
  renameSync(`${secrets}.away`, secrets)
})

/** Its last words, one line, and nothing that it began is left running. */
async function refused(site: DevApp.Site, variables: DevApp.Variables, words: RegExp | string): Promise<void> {
  const before = DevApp.postgresOf(site.dataDir)
  const launched = DevApp.launch(site, variables)
  expect(await launched.ended).toEqual({ code: 1, signal: null })
  const last = DevApp.lastWords(launched)
  if (typeof words === "string") expect(last).toBe(words)
  else expect(last).toMatch(words)
  expect(launched.output()).not.toMatch(/^\s+at /m)
  expect(DevApp.postgresOf(site.dataDir)).toEqual(before)
}
