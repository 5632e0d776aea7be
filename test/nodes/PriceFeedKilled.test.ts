/** Takeover of the price sources after their node is killed. */
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
      let starts = 0
      child.stdout.on("data", (text) => {
        starts += String(text).split("runs the source").length - 1
      })
      return { starts: () => starts, kill: () => child.kill("SIGKILL") }
    }),
    ({ kill }) => Effect.sync(kill)
  )
})

/** A node that receives the marks and owns no entities. */
const listening = (url: string, shiftMillis: number) =>
  Runner.clients.pipe(
    Layer.provideMerge(ClusterNode.gateway({ lockSeconds, dialFrom: undefined, tls: undefined })),
    Layer.provideMerge(Journal.layer),
    Layer.provideMerge(PgClient.layer({ url: Redacted.make(url), maxConnections: 4 })),
    Layer.provideMerge(venue),
    Layer.provide(shifted(shiftMillis))
  )

interface Mark {
  readonly atMillis: number
  readonly priceE8: number
  readonly markE8: number
}

const until = (isSo: () => boolean) =>
  Effect.repeat(Effect.sleep("20 millis"), { until: isSo }).pipe(Effect.timeout("10 minutes"))

/** Returns the marks before and after the kill of the node with the price sources, and the time of the kill. */
const story = Effect.fnUntraced(function* (url: string) {
  const shiftMillis = friday - (yield* Clock.currentTimeMillis)
  const first = yield* start(url, "runner-1", shiftMillis)
  yield* until(() => first.starts() > 0)
  const marks: Array<Mark> = []
  Context.get(yield* Layer.build(listening(url, shiftMillis)), Feed).watch(({ events }) => {
    for (const event of events)
      if (event._tag === "Priced" && event.source === "external")
        marks.push({ atMillis: performance.now(), priceE8: event.toldE8, markE8: event.markE8 })
  })
  const second = yield* start(url, "runner-2", shiftMillis)
  const starts = () => first.starts() + second.starts()
  yield* until(() => marks.length > 5)
  // The price sources might move to another node once more when the second runner joins.
  let before: number
  do {
    before = starts()
    yield* Effect.sleep("3 seconds")
  } while (starts() !== before)
  const isFirst = second.starts() === 0 || first.starts() > second.starts()
  const [owner, other] = isFirst ? [first, second] : [second, first]
  const otherStarts = other.starts()
  const killedAtMillis = performance.now()
  owner.kill()
  yield* until(() => other.starts() > otherStarts)
  const count = marks.length
  yield* until(() => marks.length > count + 10)
  return { marks, killedAtMillis }
})

it("after the node with the price sources is killed, marks continue in order and without a long gap", async () => {
  const { url } = await Database.serve()
  const { marks, killedAtMillis } = await Effect.runPromise(Effect.scoped(story(url)))
  for (const figure of ["priceE8", "markE8"] as const) {
    const figures = marks.map((mark) => mark[figure])
    expect(figures).toEqual(figures.toSorted((a, b) => a - b))
  }
  const after = marks.findIndex(({ atMillis }) => atMillis > killedAtMillis)
  const gapMillis = marks.slice(after).map(({ atMillis }, n) => atMillis - marks[after + n - 1]!.atMillis)
  // On an idle machine, the gap is at most the lock time plus one second.
  expect(Math.max(...gapMillis)).toBeLessThan(10 * (lockSeconds + 1) * 1_000)
})
