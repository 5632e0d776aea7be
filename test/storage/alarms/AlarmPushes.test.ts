/** Tests of the stored alarms, messages, lease and webhooks, in memory and on Postgres. */
import type { TrackedAlarm } from "@venue/domain/AlarmPush"
import { type AlarmMessage, maxWaiting } from "@venue/domain/AlarmWebhook"
import { Seal } from "@venue/postgres/Seal"
import { AlarmPushes, type StoredAlarm } from "@venue/storage/alarms/AlarmPushes"
import { AlarmWebhooks } from "@venue/storage/alarms/AlarmWebhooks"
import { DeadPriceSources } from "@venue/storage/alarms/DeadPriceSources"
import { NodeReports } from "@venue/storage/alarms/NodeReports"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresLayer } from "../../Postgres.ts"

const tracked = (alarmId: string, change: Partial<TrackedAlarm<StoredAlarm>> = {}): TrackedAlarm<StoredAlarm> => ({
  alarmId,
  source: "venue",
  alarm: { id: alarmId, kind: "HALTED", symbol: null, since: "2026-11-20T15:00:00.000Z", quantity: -2.5 },
  firstAtMillis: 1_000,
  pushes: 1,
  pushedAtMillis: 2_000,
  absentSinceMillis: null,
  ...change
})

const message = (messageId: string, webhookId: string, change: Partial<AlarmMessage> = {}): AlarmMessage => ({
  messageId,
  webhookId,
  body: `{"id":"${messageId}"}`,
  atMillis: 1_000,
  attempts: 0,
  dueAtMillis: 1_000,
  ...change
})

type Services = AlarmPushes | AlarmWebhooks | DeadPriceSources | NodeReports

const suite = (name: string, services: Layer.Layer<Services, unknown>) =>
  layer(services, { timeout: "5 minutes" })(name, (it) => {
    it.effect("stores, replaces and removes tracked alarms", () =>
      Effect.gen(function* () {
        const pushes = yield* AlarmPushes
        const none = { put: [], removed: [], messages: [] }
        yield* pushes.commit({ ...none, put: [tracked("a"), tracked("b")] })
        const changed = tracked("a", { pushes: 2, absentSinceMillis: 9_000 })
        yield* pushes.commit({ ...none, put: [changed], removed: ["b", "c"] })
        assert.deepStrictEqual([...(yield* pushes.tracked).values()], [changed])
        yield* pushes.commit({ ...none, removed: ["a"] })
      })
    )

    it.effect("gives the lease to one node until the lease ends or the node releases it", () =>
      Effect.gen(function* () {
        const { lease, release } = yield* AlarmPushes
        yield* TestClock.setTime(100_000)
        assert.deepStrictEqual([yield* lease("one"), yield* lease("two")], ["one", "one"])
        yield* TestClock.adjust("19 seconds")
        assert.deepStrictEqual([yield* lease("two"), yield* lease("one")], ["one", "one"])
        yield* TestClock.adjust("19 seconds")
        assert.strictEqual(yield* lease("two"), "one")
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual([yield* lease("two"), yield* lease("one")], ["two", "two"])
        yield* release("one")
        assert.strictEqual(yield* lease("one"), "two")
        yield* release("two")
        assert.strictEqual(yield* lease("one"), "one")
      })
    )

    it.effect("returns the longest due message of each webhook, keeps a waiting one, and postpones and removes", () =>
      Effect.gen(function* () {
        const pushes = yield* AlarmPushes
        const add = (...messages: ReadonlyArray<AlarmMessage>) => pushes.commit({ put: [], removed: [], messages })
        const due = Effect.forEach(["w1", "w2", "w3"], (webhookId) =>
          Effect.map(pushes.nextDue(webhookId), (next) => Option.getOrUndefined(next)?.messageId)
        )
        yield* TestClock.setTime(5_000)
        yield* add(message("m1", "w1"), message("m1", "w2"), message("m2", "w1", { dueAtMillis: 6_000 }))
        assert.deepStrictEqual(yield* due, ["m1", "m1", undefined])
        const later = message("m1", "w1", { attempts: 1, dueAtMillis: 7_000 })
        yield* pushes.postpone(later)
        yield* add(message("m1", "w1"))
        assert.deepStrictEqual(yield* due, [undefined, "m1", undefined])
        yield* TestClock.setTime(7_000)
        assert.deepStrictEqual(yield* due, ["m2", "m1", undefined])
        assert.deepStrictEqual(
          (yield* pushes.waiting).find(({ attempts }) => attempts === 1),
          later
        )
        yield* Effect.forEach(yield* pushes.waiting, pushes.remove)
        yield* pushes.postpone(later)
        assert.deepStrictEqual(yield* pushes.waiting, [])
      })
    )

    it.effect("drops the oldest messages of a webhook for which more than 1,000 wait", () =>
      Effect.gen(function* () {
        const pushes = yield* AlarmPushes
        const many = Array.from({ length: maxWaiting + 2 }, (_, n) => message(`m${n}`, "full", { atMillis: n }))
        yield* pushes.commit({ put: [], removed: [], messages: [...many, message("m0", "other")] })
        const waiting = yield* pushes.waiting
        const left = waiting.filter(({ webhookId }) => webhookId === "full").map(({ atMillis }) => atMillis)
        assert.deepStrictEqual([left.length, Math.min(...left)], [maxWaiting, 2])
        assert.strictEqual(waiting.length, maxWaiting + 1)
        yield* Effect.forEach(waiting, pushes.remove)
      })
    )

    it.effect("records the outcomes of a webhook, and removes it with its waiting messages", () =>
      Effect.gen(function* () {
        const pushes = yield* AlarmPushes
        const webhooks = yield* AlarmWebhooks
        const webhook = { webhookId: "w9", url: "https://pager.example.com/", createdBy: "ann" }
        yield* TestClock.setTime(1_000)
        yield* webhooks.add({ ...webhook, secret: Redacted.make("whsec_canary") })
        yield* TestClock.setTime(2_000)
        yield* webhooks.attempted("w9", "the endpoint returned status 503")
        yield* TestClock.setTime(3_000)
        yield* webhooks.attempted("w9", "the endpoint returned status 500")
        const failing = { ...webhook, createdAtMillis: 1_000, deliveredAtMillis: null, failingSinceMillis: 2_000 }
        assert.deepStrictEqual(yield* webhooks.list, [{ ...failing, fault: "the endpoint returned status 500" }])
        yield* webhooks.attempted("w9", null)
        assert.deepStrictEqual(yield* webhooks.list, [
          { ...failing, deliveredAtMillis: 3_000, failingSinceMillis: null, fault: null }
        ])
        yield* webhooks.attempted("unknown", null)
        yield* pushes.commit({ put: [], removed: [], messages: [message("m1", "w9"), message("m1", "w8")] })
        assert.deepStrictEqual([yield* webhooks.remove("w9"), yield* webhooks.remove("w9")], [true, false])
        assert.deepStrictEqual(
          (yield* pushes.waiting).map(({ webhookId }) => webhookId),
          ["w8"]
        )
        yield* webhooks.add({ ...webhook, secret: Redacted.make("whsec_canary") })
        assert.deepStrictEqual(yield* pushes.waiting, [])
        yield* webhooks.remove("w9")
      })
    )

    it.effect("returns a node's report for one minute after the last time", () =>
      Effect.gen(function* () {
        const reports = yield* NodeReports
        const names = Effect.map(reports.recent, (all) => all.map(({ name }) => name))
        yield* TestClock.setTime(1_000)
        const full = { kind: "DISK_FULL", path: "/data", reason: "full", sinceMillis: 5 } as const
        yield* reports.report({ name: "runner-1", kind: "runner", conditions: [full] })
        yield* TestClock.adjust("50 seconds")
        yield* reports.report({ name: "gateway-1", kind: "gateway", conditions: [] })
        const [, runner] = yield* reports.recent
        assert.deepStrictEqual(runner, {
          name: "runner-1",
          kind: "runner",
          conditions: [full],
          reportedAtMillis: 1_000
        })
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* names, ["gateway-1"])
        yield* reports.remove("gateway-1")
        assert.deepStrictEqual(yield* names, [])
      })
    )

    it.effect("keeps the time since which a price source is dead, until it works or is no longer configured", () =>
      Effect.gen(function* () {
        const sources = yield* DeadPriceSources
        yield* TestClock.setTime(1_000)
        yield* sources.died("one", "status 401")
        yield* TestClock.setTime(2_000)
        yield* sources.died("one", "status 402")
        yield* sources.died("two", "silence")
        yield* sources.retain(["one"])
        assert.deepStrictEqual(yield* sources.list, [{ name: "one", reason: "status 402", sinceMillis: 1_000 }])
        yield* sources.works("one")
        assert.deepStrictEqual(yield* sources.list, [])
      })
    )
  })

const memory = Layer.mergeAll(
  AlarmPushes.layerMemory,
  AlarmWebhooks.layerMemory,
  DeadPriceSources.layerMemory,
  NodeReports.layerMemory
)
const stored = Layer.mergeAll(AlarmPushes.layer, AlarmWebhooks.layer, DeadPriceSources.layer, NodeReports.layer).pipe(
  Layer.provide(Seal.layer(Redacted.make("the secret key of this test, of any characters"))),
  Layer.provideMerge(postgresLayer)
)

suite("alarm tables in memory", memory)
suite("alarm tables on Postgres", stored)

layer(stored, { timeout: "5 minutes" })("secrets of alarm webhooks", (it) => {
  it.effect("stores a secret only encrypted, decrypts it for the sender, and leaves out a damaged one", () =>
    Effect.gen(function* () {
      const webhooks = yield* AlarmWebhooks
      const sql = yield* SqlClient.SqlClient
      const secret = Redacted.make("whsec_canary")
      yield* webhooks.add({ webhookId: "w1", url: "https://pager.example.com/", createdBy: "ann", secret })
      const [row] = yield* sql<{
        readonly sealed: string
      }>`select encode(sealed_secret, 'escape') sealed from alarm_webhook`
      assert.notInclude(row!.sealed, "canary")
      assert.strictEqual(Redacted.value((yield* webhooks.endpoints)[0]!.secret), "whsec_canary")

      yield* webhooks.add({ webhookId: "w2", url: "https://pager.example.com/2", createdBy: "ann", secret })
      yield* sql`update alarm_webhook set sealed_secret = sealed_secret || '\\x00'::bytea where webhook_id = 'w1'`
      assert.deepStrictEqual(
        (yield* webhooks.endpoints).map(({ webhookId }) => webhookId),
        ["w2"]
      )
      assert.strictEqual(
        (yield* webhooks.list)[0]!.fault,
        "the secret cannot be decrypted; register the URL again and remove this entry"
      )
    })
  )
})
