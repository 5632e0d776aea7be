/** Tests of pushed alarms: real messages from an in-memory venue, with and without its database. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { VenueSettings } from "@venue/cluster/VenueSettings"
import * as AlarmPusher from "@venue/gateway/alarms/AlarmPusher"
import { OwnNode } from "@venue/gateway/alarms/NodeAlarms"
import { DatabaseUnavailable } from "@venue/postgres/DatabaseUnavailable"
import { LoopbackEndpoints } from "@venue/providers/webhooks/Endpoint"
import { WebhookSender } from "@venue/providers/webhooks/WebhookSender"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { AlarmPushes } from "@venue/storage/alarms/AlarmPushes"
import { AlarmWebhooks } from "@venue/storage/alarms/AlarmWebhooks"
import { NodeReports } from "@venue/storage/alarms/NodeReports"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Logger, Queue, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import { type Receiver, receiver, resolver, status } from "../../providers/webhooks/Receiver.ts"
import { fewMarkets, gold } from "../../venue/Story.ts"

const secret = `whsec_${Buffer.from("a secret of exactly 32 bytes now").toString("base64")}`

let sendsInFlight = 0

/** The venue's sender, which counts its requests in flight. */
const sender = Layer.effect(
  WebhookSender,
  Effect.map(WebhookSender, ({ send }) => {
    const count = (by: number) => Effect.sync(() => void (sendsInFlight += by))
    return WebhookSender.of({
      send: (attempt) =>
        Effect.acquireUseRelease(
          count(1),
          () => send(attempt),
          () => count(-1)
        )
    })
  })
)

const services = sender.pipe(
  Layer.provide(WebhookSender.layer),
  Layer.provide(resolver({}).layer),
  Layer.provide(Layer.succeed(LoopbackEndpoints)(true)),
  Layer.provideMerge(layerMemory),
  Layer.provide(Layer.succeed(VenueSettings)({ ...fewMarkets, desks: 2 }))
)
type Services = TestVenue | WebhookSender | Layer.Success<typeof layerMemory>

/** Runs a test on a venue whose markets have prices, on a test clock. */
const venue = <E>(body: Effect.Effect<void, E, Services | Scope.Scope>) =>
  Effect.gen(function* () {
    const { price } = yield* TestVenue
    market.haltedSinceMillis = undefined
    for (const symbol of fewMarkets.instruments.keys()) yield* price(symbol, 200)
    yield* body
  }).pipe(Effect.scoped, Effect.provide(Layer.mergeAll(services, Logger.layer([]))))

const register = Effect.fnUntraced(function* (port: number, webhookId = "w1") {
  const url = `http://127.0.0.1:${port}/alarms`
  yield* (yield* AlarmWebhooks).add({ webhookId, url, createdBy: "ann", secret: Redacted.make(secret) })
})

/** State of the gold market, which the test's halts change. */
const market = { haltedSinceMillis: undefined as number | undefined }
const halt = Effect.map(Clock.currentTimeMillis, (now) => void (market.haltedSinceMillis = now))
const resume = Effect.sync(() => void (market.haltedSinceMillis = undefined))

/** Starts the pusher of a node, whose desks have no alarm and whose markets have the test's. */
const push = Effect.fnUntraced(function* (name: string, kind: "runner" | "gateway" = "gateway") {
  const desks: DeskClient["Service"] = { ...(yield* DeskClient), askDesk: () => Effect.succeed([]) as never }
  const markets: MarketClient["Service"] = {
    ...(yield* MarketClient),
    alarms: (symbol) =>
      Effect.sync(() => {
        const sinceMillis = market.haltedSinceMillis
        return symbol === gold && sinceMillis !== undefined ? [{ kind: "HALTED", sinceMillis }] : []
      })
  }
  return yield* AlarmPusher.run.pipe(
    Effect.provideService(OwnNode, { name, kind, conditions: Effect.succeed([]) }),
    Effect.provideService(DeskClient, desks),
    Effect.provideService(MarketClient, markets),
    Effect.forkScoped
  )
})

/** Lets the clock run, and waits in each second until all requests of that second are answered. */
const pass = Effect.fnUntraced(function* (seconds: number) {
  const { settle } = yield* TestVenue
  for (let second = 0; second < seconds; second++) {
    yield* TestClock.adjust("1 second")
    yield* Effect.repeat(settle, { until: () => sendsInFlight === 0 })
  }
})

/** Lets the clock run until a message arrives. */
const next = Effect.fnUntraced(function* (server: Receiver) {
  while ((yield* Queue.size(server.heard)) === 0) yield* pass(1)
  return yield* Queue.take(server.heard)
})
type Delivered = Effect.Success<ReturnType<typeof next>>

/** Checks the signature without the venue's code, and returns the body. */
const verified = ({ body, headers }: Delivered) => {
  const [id, timestamp] = [headers["webhook-id"] as string, headers["webhook-timestamp"] as string]
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const digest = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")
  assert.strictEqual(headers["webhook-signature"], `v1,${digest}`)
  assert.match(id, /^msg_[0-9a-f]{32}$/)
  return JSON.parse(body) as {
    readonly type: string
    readonly timestamp: string
    readonly data: Readonly<Record<string, unknown>>
  }
}
const event = (delivered: Delivered) => {
  const { data, type } = verified(delivered)
  return `${type} ${data["kind"] as string}`
}

/** Lets the clock run until this event arrives, and returns the events before it. */
const skipTo = Effect.fnUntraced(function* (server: Receiver, name: string) {
  const skipped: Array<string> = []
  for (;;) {
    const arrived = event(yield* next(server))
    if (arrived === name) return skipped
    skipped.push(arrived)
  }
})
const rest = (server: Receiver) => Effect.map(Queue.clear(server.heard), (all) => all.map(event))

it.effect("sends a signed message when an alarm begins, while it lasts, and when it has ended", () =>
  venue(
    Effect.gen(function* () {
      const server = yield* receiver(status(204))
      yield* register(server.port)
      yield* push("gateway-1")
      yield* pass(2)
      yield* halt
      const raised = verified(yield* next(server))
      assert.deepInclude(raised, { type: "alarm.raised" })
      const { id, since } = raised.data
      assert.deepStrictEqual(raised.data, {
        id,
        kind: "HALTED",
        symbol: gold,
        since,
        first_at: raised.timestamp,
        messages: 1,
        runbook: "HALTED"
      })
      const repeated = verified(yield* next(server))
      assert.deepStrictEqual([repeated.type, repeated.data["id"], repeated.data["messages"]], ["alarm.repeated", id, 2])
      const delayMillis = Date.parse(repeated.timestamp) - Date.parse(raised.timestamp)
      assert.isAtLeast(delayMillis, 15 * 60_000)
      assert.isAtMost(delayMillis, 16 * 60_000)
      yield* resume
      const resolved = verified(yield* next(server))
      assert.deepStrictEqual([resolved.type, resolved.data["id"]], ["alarm.resolved", id])
      assert.strictEqual(resolved.data["first_at"], raised.timestamp)
      assert.isNotNull((yield* (yield* AlarmWebhooks).list)[0]!.deliveredAtMillis)
    })
  )
)

it.effect("two nodes send each message once, and the second takes over when the first stops", () =>
  venue(
    Effect.gen(function* () {
      const server = yield* receiver(status(204))
      yield* register(server.port)
      const first = yield* push("gateway-1")
      yield* pass(1)
      yield* push("runner-1", "runner")
      yield* halt
      assert.strictEqual(event(yield* next(server)), "alarm.raised HALTED")
      yield* pass(30)
      assert.deepStrictEqual(yield* rest(server), [])
      first.interruptUnsafe()
      yield* pass(1)
      yield* resume
      assert.strictEqual(event(yield* next(server)), "alarm.resolved HALTED")
      yield* pass(30)
      assert.deepStrictEqual(yield* rest(server), [])
    })
  )
)

it.effect("sends a failed message again under the same id, and every message to each webhook", () =>
  venue(
    Effect.gen(function* () {
      let isUp = false
      const server = yield* receiver((response) => void response.writeHead(isUp ? 200 : 503).end())
      const other = yield* receiver(status(200))
      yield* register(server.port)
      yield* register(other.port, "w2")
      yield* push("gateway-1")
      yield* pass(2)
      yield* halt
      const before = yield* next(server)
      const [listed] = yield* (yield* AlarmWebhooks).list
      assert.strictEqual(event(yield* next(other)), "alarm.raised HALTED")
      isUp = true
      const after = yield* next(server)
      assert.deepStrictEqual([after.headers["webhook-id"], after.body], [before.headers["webhook-id"], before.body])
      assert.isAtLeast(Number(after.headers["webhook-timestamp"]) - Number(before.headers["webhook-timestamp"]), 10)
      yield* pass(2)
      assert.deepStrictEqual(
        [listed!.webhookId, (yield* (yield* AlarmWebhooks).list)[0]!.failingSinceMillis],
        ["w1", null]
      )
    })
  )
)

/** Services whose calls fail while `isOut` is set, as without the database. */
const cut = Effect.fnUntraced(function* (state: { isOut: boolean }) {
  const gone = Effect.suspend(() =>
    state.isOut ? Effect.fail(new DatabaseUnavailable({ cause: new Error("gone") })) : Effect.void
  )
  const failing = <S extends object>(service: S): S =>
    Object.fromEntries(
      Object.entries(service).map(([name, member]) => [
        name,
        typeof member === "function"
          ? (...args: ReadonlyArray<unknown>) =>
              Effect.andThen(gone, (member as (...args: ReadonlyArray<unknown>) => Effect.Effect<unknown>)(...args))
          : Effect.andThen(gone, member as Effect.Effect<unknown>)
      ])
    ) as S
  const modes = yield* VenueModes
  return Context.empty().pipe(
    Context.add(AlarmPushes, failing(yield* AlarmPushes)),
    Context.add(AlarmWebhooks, failing(yield* AlarmWebhooks)),
    Context.add(NodeReports, failing(yield* NodeReports)),
    Context.add(VenueModes, { ...modes, inForce: Effect.andThen(gone, modes.inForce) })
  )
})

it.effect(
  "without the database, the last sender continues from memory, and ends its alarm once the database is back",
  () =>
    venue(
      Effect.gen(function* () {
        const state = { isOut: false }
        const database = yield* cut(state)
        const server = yield* receiver(status(204))
        yield* register(server.port)
        yield* Effect.provide(push("gateway-1"), database)
        yield* pass(2)
        yield* Effect.provide(push("runner-1", "runner"), database)
        yield* halt
        assert.strictEqual(event(yield* next(server)), "alarm.raised HALTED")
        yield* pass(6)

        state.isOut = true
        const begunAtMillis = yield* Clock.currentTimeMillis
        const out = verified(yield* next(server))
        assert.deepInclude(out.data, { kind: "DATABASE_OUT", runbook: "DATABASE_OUT" })
        assert.include(out.data["reason"], "WITHDRAWALS_BLOCKED")
        assert.isAtMost((yield* Clock.currentTimeMillis) - begunAtMillis, 30_000)
        yield* resume
        // The runner cannot know that the gateway still sends, so that it may report the outage too.
        const again = yield* skipTo(server, "alarm.resolved HALTED")
        assert.deepStrictEqual(
          again.filter((name) => name !== "alarm.raised DATABASE_OUT"),
          []
        )

        state.isOut = false
        yield* skipTo(server, "alarm.resolved DATABASE_OUT")
        yield* pass(60)
        const after = yield* rest(server)
        assert.deepStrictEqual(
          after.filter((name) => !name.startsWith("alarm.resolved")),
          []
        )
        assert.strictEqual((yield* (yield* AlarmPushes).tracked).size, 0)
      })
    )
)

it.effect("another node sends 20 s later if the last sender stopped with the database", () =>
  venue(
    Effect.gen(function* () {
      const state = { isOut: false }
      const database = yield* cut(state)
      const server = yield* receiver(status(204))
      yield* register(server.port)
      const first = yield* Effect.provide(push("gateway-1"), database)
      yield* pass(2)
      yield* Effect.provide(push("runner-1", "runner"), database)
      yield* pass(6)
      state.isOut = true
      first.interruptUnsafe()
      const begunAtMillis = yield* Clock.currentTimeMillis
      assert.strictEqual(event(yield* next(server)), "alarm.raised DATABASE_OUT")
      const took = (yield* Clock.currentTimeMillis) - begunAtMillis
      assert.isAtLeast(took, 30_000)
      assert.isAtMost(took, 60_000)
    })
  )
)

it.effect("forgets the pushed alarms without a webhook, and raises them again for the next webhook", () =>
  venue(
    Effect.gen(function* () {
      const server = yield* receiver(status(204))
      yield* register(server.port)
      yield* push("gateway-1")
      yield* pass(2)
      yield* halt
      assert.strictEqual(event(yield* next(server)), "alarm.raised HALTED")
      yield* (yield* AlarmWebhooks).remove("w1")
      yield* pass(11)
      assert.strictEqual((yield* (yield* AlarmPushes).tracked).size, 0)
      yield* register(server.port, "w2")
      assert.strictEqual(event(yield* next(server)), "alarm.raised HALTED")
    })
  )
)
