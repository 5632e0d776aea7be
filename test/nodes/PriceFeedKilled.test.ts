/** The node that hears the price sources is killed: another one hears them, and nobody trades on old prices for long. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ClusterNode from "@venue/cluster/ClusterNode"
import * as Runner from "@venue/cluster/Runner"
import { Feed } from "@venue/cluster/feed/Feed"
import { Journal } from "@venue/journal/Journal"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "vitest"
import { freePort } from "../cluster/VenueNodes.ts"
import { friday } from "../venue/Story.ts"
import * as Database from "./Database.ts"
import * as Guard from "./Guard.ts"
import { lockSeconds, shifted, venue } from "./PricedRunner.ts"

const root = join(import.meta.dirname, "../..")

const start = Effect.fnUntraced(function* (url: string, name: string, shiftMillis: number) {
  const port = yield* Effect.promise(freePort)
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      const words = [url, name, String(port), String(shiftMillis)]
      const child = spawn(process.execPath, ["test/nodes/PricedRunner.ts", ...words], {
        cwd: root,
        stdio: ["ignore", "pipe", "inherit"]
      })
      child.once("exit", Guard.over(child.pid!))
      let hears = 0
      child.stdout.on("data", (text) => {
        hears += String(text).split("hears the source").length - 1
      })
      return { hears: () => hears, kill: () => child.kill("SIGKILL") }
    }),
    ({ kill }) => Effect.sync(kill)
  )
})

/** A node that hears the markets and has none. */
const listening = (url: string, shiftMillis: number) =>
  Runner.clients.pipe(
    Layer.provideMerge(ClusterNode.gateway({ lockSeconds, dialFrom: undefined, tls: undefined })),
    Layer.provideMerge(Journal.layer),
    Layer.provideMerge(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 })),
    Layer.provideMerge(venue),
    Layer.provide(shifted(shiftMillis))
  )

interface Heard {
  readonly atMillis: number
  readonly toldE8: number
  readonly markE8: number
}

const until = (isSo: () => boolean) =>
  Effect.repeat(Effect.sleep("20 millis"), { until: isSo }).pipe(Effect.timeout("4 minutes"))

/** The marks that were heard around the death of whoever hears the sources, and when that was. */
const story = Effect.fnUntraced(function* (url: string) {
  const shiftMillis = friday - (yield* Clock.currentTimeMillis)
  const first = yield* start(url, "runner-1", shiftMillis)
  yield* until(() => first.hears() > 0)
  const heard: Array<Heard> = []
  Context.get(yield* Layer.build(listening(url, shiftMillis)), Feed).watch(({ events }) => {
    for (const event of events)
      if (event._tag === "Priced" && event.source === "external")
        heard.push({ atMillis: performance.now(), toldE8: event.toldE8, markE8: event.markE8 })
  })
  const second = yield* start(url, "runner-2", shiftMillis)
  const hears = () => first.hears() + second.hears()
  yield* until(() => heard.length > 5)
  // It may move once more as the second runner joins.
  let before: number
  do {
    before = hears()
    yield* Effect.sleep("3 seconds")
  } while (hears() !== before)
  const isFirst = second.hears() === 0 || first.hears() > second.hears()
  const [owner, other] = isFirst ? [first, second] : [second, first]
  const otherHeard = other.hears()
  const killedAtMillis = performance.now()
  owner.kill()
  yield* until(() => other.hears() > otherHeard)
  const count = heard.length
  yield* until(() => heard.length > count + 10)
  return { heard, killedAtMillis }
})

it("marks go on when the node that hears the sources is killed: none goes back, and none is late by more than its lock", async () => {
  const { url } = await Database.serve()
  const { heard, killedAtMillis } = await Effect.runPromise(Effect.scoped(story(url)))
  for (const figure of ["toldE8", "markE8"] as const) {
    const told = heard.map((one) => one[figure])
    expect(told).toEqual(told.toSorted((a, b) => a - b))
  }
  const after = heard.findIndex(({ atMillis }) => atMillis > killedAtMillis)
  const stoodStillMillis = heard.slice(after).map(({ atMillis }, n) => atMillis - heard[after + n - 1]!.atMillis)
  expect(Math.max(...stoodStillMillis)).toBeLessThan(10 * (lockSeconds + 1) * 1_000)
})
