/** A client that stops reading at one gateway of a cluster. */
import { expect, it } from "vitest"
import * as ClusterApp from "./ClusterApp.ts"
import * as DevApp from "./DevApp.ts"
import * as TraderRecord from "./TraderRecord.ts"
import * as Load from "./Load.ts"
import * as Stalled from "./Stalled.ts"
import * as Stranger from "./Stranger.ts"

it("I49: disconnects a client that stops reading, and does not delay other clients", async () => {
  const site = await ClusterApp.makeSite()
  const app = await ClusterApp.start(site, {
    VENUE_EXTRA_USERS: "2",
    VENUE_CLUSTER_RUNNERS: "2",
    VENUE_RATE_LIMITS: "on"
  })
  const [here, there] = app.file.gateways.map(({ trade }) => trade)
  const traders = app.file.users.filter(({ name }) => name.startsWith("trader-")).map(TraderRecord.make)
  const loads = await Promise.all(
    [here!, there!].map((url, index) => Load.begin(url, [traders[index]!], `slow${index}`, 1, 50))
  )
  const stalled = await Stalled.orderReader(here!, Stranger.address(1), traders[0]!.user)
  const before = loads.map((load) => load.answered())
  const late = await Stalled.lateReader(here!, Stranger.address(2))
  await DevApp.until("the orders of its account have filled what is kept for it", () => !Stalled.isHeld(stalled))
  await DevApp.until("those who read were answered at both", () =>
    loads.every((load, index) => load.answered() > before[index]! + 50)
  )
  expect(late).toEqual({ code: 1013, reason: "the client did not read its frames; 1 MiB was waiting" })
  expect(loads.flatMap(({ sockets }) => sockets).every((socket) => socket.isOpen())).toBe(true)
  for (const load of loads) load.stop()
  await DevApp.until("every command is answered", () => loads.every((load) => load.isIdle()))
  stalled.close()
  expect(await app.end("SIGINT")).toEqual({ code: 130, signal: null })
})
