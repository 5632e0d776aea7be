/** A venue that loses its database lock to another venue. */
import { expect, it } from "vitest"
import * as Database from "./Database.ts"
import * as DevApp from "./DevApp.ts"

it("a single-process venue stops if another venue takes its database", async () => {
  const { url } = await Database.serve()
  const app = await DevApp.start(await DevApp.makeSite(), { VENUE_DATABASE_URL: url })
  const venueLock = "locktype = 'advisory' and (classid::bigint << 32) + objid::bigint = 7203114402"
  // The rival session waits for the lock, which it receives when the venue's session is terminated.
  const rival = Database.run(url, "select pg_advisory_lock(7203114402), pg_sleep(60)").catch(() => {})
  const end = `select pg_terminate_backend(pid) from pg_locks where ${venueLock} and granted
    and exists (select from pg_locks where ${venueLock} and not granted)`
  await DevApp.until("the venue has lost its lock", async () => ((await Database.run(url, end)) as []).length > 0)
  expect((await app.ended).code).toBe(1)
  expect(app.output()).toContain("another venue is running on this database")
  await Database.run(url, `select pg_terminate_backend(pid) from pg_locks where ${venueLock}`)
  await rival
})
