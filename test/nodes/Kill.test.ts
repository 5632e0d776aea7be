/** The whole venue in one process, killed outright while traders are at work. */
import { expect, it } from "vitest"
import * as Audit from "./Audit.ts"
import * as DevApp from "./DevApp.ts"
import * as Heard from "./Heard.ts"
import * as Load from "./Load.ts"
import * as Truth from "./Truth.ts"

const kills = Number(process.env["VENUE_KILLS"] ?? 3)
const traders = 6
const inFlight = 4
/** Enough for every kind of order to have met every other. */
const minAnswered = 200

it(
  "I1 I8 I10 I20 I21 I22 I25 I35 I51: kill -9 of the dev app under load loses and doubles nothing that was acknowledged",
  { timeout: 600_000 + kills * 60_000 },
  async () => {
    const site = await DevApp.makeSite()
    const settings = { ...DevApp.audited, VENUE_EXTRA_USERS: String(traders) }
    let app = await DevApp.start(site, settings)
    const heard = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(Heard.make)
    expect(heard.length).toBe(traders)

    for (let kill = 1; kill <= kills; kill++) {
      const load = await Load.begin(app.file.urls.trade, heard, `run${kill}`, inFlight)
      const killAt = performance.now() + 300 + Math.random() * 1_700
      await DevApp.until("enough is answered", () => performance.now() >= killAt && load.answered() >= minAnswered)
      await app.end("SIGKILL")
      await Promise.all(load.sockets.map(({ closed }) => closed))

      app = await DevApp.start(site, settings)
      const { trade } = app.file.urls
      const accounts = await Promise.all(
        heard.map(async (one): Promise<Audit.Account> => ({ heard: one, truth: await Truth.read(trade, one.user) }))
      )
      expect(Audit.faults(accounts), `after kill ${kill}, ${load.answered()} commands answered`).toEqual([])
      for (const account of accounts) Audit.accept(account)
    }
    await app.end("SIGINT")
  }
)
