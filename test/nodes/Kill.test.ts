/** The whole venue in one process, killed with SIGKILL under load. */
import { expect, it } from "vitest"
import * as Audit from "./Audit.ts"
import * as DevApp from "./DevApp.ts"
import * as TraderRecord from "./TraderRecord.ts"
import * as Load from "./Load.ts"
import * as Truth from "./Truth.ts"

const kills = Number(process.env["VENUE_KILLS"] ?? 3)
const traders = 6
const inFlight = 4
/** Number of responses before a kill, enough that every pair of order types has matched. */
const minAnswered = 200

it(
  "I1 I8 I10 I20 I21 I22 I25 I35 I51: a SIGKILL under load neither loses nor duplicates an acknowledged command",
  { timeout: 600_000 + kills * 60_000 },
  async () => {
    const site = await DevApp.makeSite()
    const settings = { ...DevApp.audited, VENUE_EXTRA_USERS: String(traders) }
    let app = await DevApp.start(site, settings)
    const records = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(TraderRecord.make)
    expect(records.length).toBe(traders)

    for (let kill = 1; kill <= kills; kill++) {
      const load = await Load.begin(app.file.urls.trade, records, `run${kill}`, inFlight)
      const killAt = performance.now() + 300 + Math.random() * 1_700
      await DevApp.until(
        "enough commands are answered",
        () => performance.now() >= killAt && load.answered() >= minAnswered
      )
      await app.end("SIGKILL")
      await Promise.all(load.sockets.map(({ closed }) => closed))

      app = await DevApp.start(site, settings)
      const { trade } = app.file.urls
      const accounts = await Promise.all(
        records.map(async (record): Promise<Audit.Account> => ({ record, truth: await Truth.read(trade, record.user) }))
      )
      expect(Audit.faults(accounts), `after kill ${kill}, ${load.answered()} commands answered`).toEqual([])
      for (const account of accounts) Audit.accept(account)
    }
    await app.end("SIGINT")
  }
)
