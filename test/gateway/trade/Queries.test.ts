/** Tests of queries whose responses are late or missing. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { MarketClient } from "@venue/cluster/clients/MarketClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { Unavailable } from "@venue/cluster/protocol/Market"
import { AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { UserId } from "@venue/domain/UserId"
import { History } from "@venue/gateway/History"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { emptyMemory } from "@venue/storage/history/ReadTable"
import * as Trades from "@venue/storage/history/Trades"
import * as Trading from "@venue/storage/history/Trading"
import { layerMemory, TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { aapl, friday, limit, say, story, told } from "../../venue/Story.ts"

const maxOutstanding = 256

const queries = [
  say("get_user_trades", { limit: 1_000 }),
  say("get_user_orders"),
  say("get_user_leverage"),
  say("cancel_on_disconnect", { cancel_on_disconnect: true }),
  say("get_order", { symbol: MarketSymbol.make("MOON-USD"), order_id: "mine" }),
  say("subscribe", { channels: ["positions"] })
]

/** History that fails after 2 s, like a desk without a connection. */
const stalledHistory = Layer.succeed(
  History,
  History.of({
    read: () => Effect.andThen(Effect.sleep("2 seconds"), Effect.fail(new Unavailable({ what: "the tables" }))),
    readOn: () => Effect.fail(new Unavailable({ what: "the tables" })),
    count: () => Effect.die("a page that is not read has no count")
  })
)
const stalledVenue = Layer.fresh(TestVenue.layer).pipe(Layer.provide(stalledHistory), Layer.provide(layerMemory))
/** Sets the clock before the venue is built, because a built venue would run every timer up to Friday. */
const onFriday = Layer.unwrap(Effect.as(TestClock.setTime(friday), stalledVenue))

for (const query of queries) {
  it.effect(
    `I48: reads at most 256 unanswered ${query.type} frames of a connection, and resumes after they time out`,
    () =>
      Effect.gen(function* () {
        const venue = yield* TestVenue
        const gateway = yield* venue.gateway
        const user = yield* venue.user("asking")
        const client = yield* venue.trade(user, [], { gateway })
        yield* gateway.cutFrom(user.userId)
        yield* client.sendAll(Array.from({ length: 3 * maxOutstanding }, () => query))
        const unread: Array<number> = []
        for (let turn = 0; turn < 3; turn++) {
          yield* venue.settle
          unread.push(client.unread())
          // Every query times out.
          yield* TestClock.adjust("2 seconds")
        }
        assert.deepStrictEqual(unread, [2 * maxOutstanding, maxOutstanding, 0])
      }).pipe(Effect.provide(onFriday))
  )
}

story(
  "I51: reports a leverage change as unknown when the desk does not reply, and names the query that returns the leverage",
  (venue) =>
    Effect.gen(function* () {
      const gateway = yield* venue.gateway
      const user = yield* venue.user("asking")
      const client = yield* venue.trade(user, [], { gateway })
      yield* gateway.cutFrom(user.userId)
      yield* client.send(say("set_user_leverage", { symbol: aapl, leverage: 5 }))
      yield* TestClock.adjust("2 seconds")
      const { err } = yield* client.take("err")
      assert.strictEqual(err.error_code, "ServerError")
      assert.match(err.message, /unknown.*get_user_leverage/)
    })
)

story("I48: counts orders for an unlisted symbol as outstanding until the desk replies", (venue) =>
  Effect.gen(function* () {
    const stranded = { symbol: MarketSymbol.make("MOON-USD") }
    const gateway = yield* venue.gateway
    const user = yield* venue.user("asking")
    const cut = yield* venue.trade(user, [], { gateway })
    const client = yield* venue.trade(user, ["order_responses"])
    yield* client.sendAll(Array.from({ length: 2 * maxOutstanding }, () => limit("BUY", 1, 190, stranded)))
    yield* venue.settle
    assert.deepStrictEqual(
      told(yield* client.drain),
      Array.from({ length: 2 * maxOutstanding }, () => "BAD_SYMBOL")
    )
    yield* gateway.cutFrom(user.userId)
    yield* cut.sendAll(Array.from({ length: 2 * maxOutstanding }, () => limit("BUY", 1, 190, stranded)))
    assert.strictEqual(cut.unread(), maxOutstanding)
  })
)

/** Reads of empty tables; `answer` runs each read. */
const empty =
  (answer: <A>(of: A) => Effect.Effect<A>): ReadTables["Service"]["read"] =>
  ({ memory }) =>
    answer(memory(emptyMemory()))

const unused = () => Effect.die("not expected")

/** History over the given tables, for an account with the given watermarks. */
const historyOf = (
  watermarks: ReadonlyArray<{ readonly symbol: MarketSymbol; readonly seq: number }>,
  tables: Pick<ReadTables["Service"], "positions" | "read">
) =>
  History.pipe(
    Effect.provide(History.layer),
    Effect.provide(
      Layer.mergeAll(
        Layer.succeed(
          ReadTables,
          ReadTables.of({
            project: unused,
            position: unused,
            ...tables
          })
        ),
        Layer.mock(MarketClient)({ submit: () => false, enter: () => () => {}, catchUp: () => Effect.void }),
        Layer.succeed(
          DeskClient,
          DeskClient.of({
            submit: () => {},
            whenReplied: (_userId, then) => then(),
            watermarks: () => Effect.succeed(watermarks),
            journalHead: unused,
            feeTier: unused,
            ask: unused,
            askDesk: unused,
            summary: unused,
            balances: unused,
            orders: unused,
            leverages: unused,
            preview: unused,
            wake: unused
          })
        )
      )
    )
  )

const reader = { userId: UserId.make("u"), accountId: AccountId.make("u"), cost: noCost }
const page = Trades.page({ accountId: reader.accountId, limit: 10, offset: 0 })

it.effect.each([{ watermarks: [] }, { watermarks: [{ symbol: MarketSymbol.make("AAPL-USD"), seq: 7 }] }])(
  "I48: runs at most 4 concurrent queries for 100 reads, and completes all reads (%j)",
  ({ watermarks }) =>
    Effect.gen(function* () {
      const opened = yield* Deferred.make<void>()
      let running = 0
      let most = 0
      const query = <A>(answer: A) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            running++
            most = Math.max(most, running)
          }),
          () => Effect.as(Deferred.await(opened), answer),
          () => Effect.sync(() => running--)
        )
      const { read } = yield* historyOf(watermarks, { positions: () => query([7]), read: empty(query) })
      const all = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 100 }), () => read(reader, Trading, page), {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust(1)
      assert.strictEqual(running, 4)
      yield* Deferred.succeed(opened, undefined)
      assert.deepStrictEqual(
        yield* Fiber.join(all),
        Array.from({ length: 100 }, () => [])
      )
      assert.strictEqual(most, 4)
      assert.strictEqual(running, 0)
    })
)

it.effect.each([
  { silent: "positions" as const, watermarks: [{ symbol: MarketSymbol.make("AAPL-USD"), seq: 7 }] },
  { silent: "read" as const, watermarks: [] }
])(
  "I48: times out reads of a table that does not respond, including reads that wait for a permit ($silent)",
  ({ silent, watermarks }) =>
    Effect.gen(function* () {
      const tables = {
        positions: () => Effect.succeed([7]),
        read: empty(Effect.succeed),
        [silent]: () => Effect.never
      }
      const { read } = yield* historyOf(watermarks, tables)
      const all = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 10 }), () => Effect.flip(read(reader, Trading, page)), {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(
        (yield* Fiber.join(all)).map(({ _tag }) => _tag),
        Array.from({ length: 10 }, () => "Unavailable")
      )
    })
)

it.effect("looks up the newest row of a table again only when a read needs a newer row", () =>
  Effect.gen(function* () {
    const symbol = MarketSymbol.make("AAPL-USD")
    const watermarks = [{ symbol, seq: 7 }]
    const positions = [5, 7, 9]
    const { read } = yield* historyOf(watermarks, {
      positions: () => Effect.sync(() => [positions.shift()!]),
      read: empty(Effect.succeed)
    })
    const first = yield* Effect.forkChild(read(reader, Trading, page))
    yield* TestClock.adjust("20 millis")
    yield* Fiber.join(first)
    assert.deepStrictEqual(positions, [9])
    yield* read(reader, Trading, page)
    assert.deepStrictEqual(positions, [9])
    watermarks[0] = { symbol, seq: 8 }
    yield* read(reader, Trading, page)
    assert.deepStrictEqual(positions, [])
  })
)
