/** Tests of alarms about nodes and price sources, which are read from tables. */
import * as CurrentAlarms from "@venue/gateway/alarms/CurrentAlarms"
import * as NodeAlarms from "@venue/gateway/alarms/NodeAlarms"
import * as PriceSourceAlarms from "@venue/gateway/alarms/PriceSourceAlarms"
import { DeadPriceSources } from "@venue/storage/alarms/DeadPriceSources"
import { type NodeCondition, NodeReports } from "@venue/storage/alarms/NodeReports"
import { LostNodes } from "@venue/storage/nodes/LostNodes"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { TestClock } from "effect/testing"

const alarmsOf = (readings: Parameters<typeof CurrentAlarms.alarmsOf>[0]) =>
  CurrentAlarms.alarmsOf(readings).map(Struct.omit(["id"]))

const full: NodeCondition = { kind: "DISK_FULL", path: "/data", reason: "93 % full", sinceMillis: 0 }
const expiring: NodeCondition = { kind: "CERTIFICATE_EXPIRING", path: "/a.pem", reason: "expires", sinceMillis: null }
const alarm = ({ kind, path, reason }: NodeCondition, node: string, since: string | null) => ({
  kind,
  symbol: null,
  since,
  node,
  path,
  reason
})
const epoch = "1970-01-01T00:00:00.000Z"

it.effect("lists a node's own conditions without its report, and those of each other node from its last report", () =>
  Effect.gen(function* () {
    const reports = yield* NodeReports
    const own = yield* NodeAlarms.makeOwn
    const others = yield* NodeAlarms.makeOthers
    yield* reports.report({ name: "gateway-1", kind: "gateway", conditions: [full] })
    yield* reports.report({ name: "runner-1", kind: "runner", conditions: [full, expiring] })
    assert.deepStrictEqual(alarmsOf(yield* own), [alarm(full, "gateway-1", epoch)])
    assert.deepStrictEqual(alarmsOf(yield* others), [alarm(full, "runner-1", epoch), alarm(expiring, "runner-1", null)])
    const [ofOwn, ofOther] = [...(yield* own), ...(yield* others)].flatMap(({ alarms }) => alarms!)
    assert.notStrictEqual(ofOwn!.alarmId, ofOther!.alarmId)
    yield* reports.report({ name: "runner-1", kind: "runner", conditions: [] })
    assert.deepStrictEqual(alarmsOf(yield* others), [])
  }).pipe(
    Effect.provideService(NodeAlarms.OwnNode, {
      name: "gateway-1",
      kind: "gateway",
      conditions: Effect.succeed([full])
    }),
    Effect.provide(Layer.fresh(NodeReports.layerMemory))
  )
)

it.effect("lists a lost node with the time at which it was last seen", () =>
  Effect.gen(function* () {
    const lost = yield* NodeAlarms.makeLost
    assert.deepStrictEqual(alarmsOf(yield* lost), [
      {
        kind: "NODE_LOST",
        symbol: null,
        since: "1970-01-01T00:00:07.000Z",
        node: "runner-2",
        reason: "The runner runner-2 has been silent since 1970-01-01T00:00:07.000Z and was not drained."
      }
    ])
  }).pipe(
    Effect.provideService(LostNodes, {
      list: Effect.succeed([{ name: "runner-2", kind: "runner" as const, lastSeenAtMillis: 7_000 }]),
      dismiss: () => Effect.void
    })
  )
)

it.effect("lists a dead price source with its latest fault, until it works", () =>
  Effect.gen(function* () {
    const sources = yield* DeadPriceSources
    const alarms = Effect.map(yield* PriceSourceAlarms.make, alarmsOf)
    assert.deepStrictEqual(yield* alarms, [])
    yield* TestClock.setTime(5_000)
    yield* sources.died("vendor-1", "No current price.")
    yield* TestClock.adjust("1 minute")
    yield* sources.died("vendor-1", "No current price. Latest failure: status 401")
    assert.deepStrictEqual(yield* alarms, [
      {
        kind: "PRICE_SOURCE_DEAD",
        symbol: null,
        since: "1970-01-01T00:00:05.000Z",
        price_source: "vendor-1",
        reason: "No current price. Latest failure: status 401"
      }
    ])
    yield* sources.works("vendor-1")
    assert.deepStrictEqual(yield* alarms, [])
  }).pipe(Effect.provide(Layer.fresh(DeadPriceSources.layerMemory)))
)
