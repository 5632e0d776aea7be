/**
 * Audits a venue on Postgres whose runner is replaced during trading. The audits report no fault until the test has
 * changed one unit.
 */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { AccountId, primaryAccountOf } from "@venue/domain/AccountId"
import { noCost } from "@venue/cluster/protocol/Desk"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer, type Redacted, Schedule, Scope } from "effect"
import type { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Explanation from "../../../apps/explain/Explanation.ts"
import { freshDatabase } from "../../Postgres.ts"
import { freePort, gateway, runner } from "../../cluster/VenueNodes.ts"
import * as Random from "../../chaos/Random.ts"
import { arrive, auditor, saveMarket, saveTrader } from "./AuditedVenue.ts"
import { kinds } from "./Changes.ts"

const symbol = "AAPL-USD"

const order = (side: "BUY" | "SELL", price: number) => ({
  type: "add_order",
  params: { symbol, side, order_type: "LIMIT", order_time_in_force: "GTC", quantity: 0.1, price }
})

const begin = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const scope = yield* Scope.make()
  const port = yield* Effect.promise(freePort)
  yield* Layer.buildWithScope(runner(url, port), scope)
  return Scope.close(scope, Exit.void)
})

/** Runs at most `rounds` audits and stops at the first that finds the expected fault. Returns whether one did. */
const within = <E>(
  rounds: number,
  round: Effect.Effect<string | null, E>,
  isWanted: (fault: string | null) => boolean
) =>
  Effect.gen(function* () {
    for (let left = rounds; left > 0; left--) if (isWanted(yield* round)) return true
    return false
  })

const patiently = Schedule.spaced("100 millis")

it.live(
  "I2, I4, I9, I10, I21, I25, I52: detects an amount that was altered by a single unit within three rounds",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const endFirst = yield* begin(url)
      const services = yield* Layer.build(gateway(url))
      const venue = Context.get(services, TestVenue)
      const desks = Context.get(services, DeskClient)
      const { books, round, sql } = yield* auditor(url)
      yield* Effect.retry(Effect.sandbox(venue.price(symbol, 200)), patiently)
      const users = yield* Effect.forEach(["alice", "bob"], (name) => venue.user(name))
      for (const user of users) yield* venue.subaccount(user, 500)
      const [alice, bob] = yield* Effect.forEach(users, (user) => venue.trade(user))
      const withdrawal = { method: "ARBITRUM_ONE", amount: 20_000_000n, destination: "0xabc", reasons: [] } as const
      for (const { userId } of users) {
        const withdraw = { userId, cost: noCost, withdrawalId: userId, ...withdrawal }
        yield* desks.ask(userId, (desk) => desk.Withdraw(withdraw))
      }
      const trade = Effect.gen(function* () {
        yield* alice!.send(order("SELL", 200))
        yield* bob!.send(order("BUY", 200))
        yield* Effect.sleep("20 millis")
      })
      const trading = yield* Effect.forkChild(Effect.repeat(trade, { times: 250 }))
      const faults: Array<string | null> = []
      const audits = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            Effect.map(round, (fault) => faults.push(fault)),
            Effect.sleep("100 millis")
          )
        )
      )
      yield* Effect.sleep("1 second")
      const endSecond = yield* begin(url)
      yield* Effect.sleep("1 second")
      yield* endFirst
      yield* Fiber.join(trading)
      yield* arrive("ARBITRUM_ONE", sql)
      yield* saveMarket(sql, symbol)
      yield* saveTrader(sql, users[0]!.userId)
      yield* Effect.sleep("1 second")
      yield* Fiber.interrupt(audits)
      assert.deepStrictEqual([...new Set(faults)], [null])
      assert.isAbove(faults.length, 10)
      const book = books.markets.get(symbol)!
      assert.isAbove(book.fold.trades, 50)
      assert.isAbove(book.line.epoch, 1)
      assert.isAbove(books.traders.size, 1)
      yield* Effect.repeat(round, { until: () => book.trades.length === 0, schedule: patiently })

      for (const { userId } of users) {
        const accounts = yield* desks.balances({ userId, accountId: primaryAccountOf(userId), cost: noCost })
        assert.lengthOf(accounts, 2)
        for (const { accountId, deposit, fees, funding, realised, referralRewards } of accounts) {
          const lines: Array<Explanation.BalanceLine> = []
          const query = { accountId, symbol: undefined, sinceMillis: 0 }
          const explanation = yield* Explanation.of(sql, query, (line) => Effect.sync(() => lines.push(line)))
          assert.deepStrictEqual(explanation.differences, [])
          assert.strictEqual(explanation.balance, deposit + (referralRewards ?? 0n) + realised - fees + funding)
          assert.strictEqual(lines.at(-1)!.balance, explanation.balance)
          assert.strictEqual(-(explanation.totals.get("fee") ?? 0n), fees)
          const { atMillis } = lines[lines.length >> 1]!
          const later = yield* Explanation.of(sql, { ...query, sinceMillis: atMillis }, () => Effect.void)
          assert.strictEqual(later.before, lines.findLast((line) => line.atMillis < atMillis)?.balance ?? 0n)
          const inOne = yield* Explanation.of(sql, { ...query, symbol }, () => Effect.void)
          assert.strictEqual(inOne.balance, realised - fees + funding)
        }
      }
      const query = { accountId: primaryAccountOf(users[0]!.userId), symbol: undefined, sinceMillis: 0 }
      for (const unknown of [{ accountId: AccountId.make("nobody") }, { symbol: "NONE-USD" }]) {
        const error = yield* Effect.flip(Explanation.of(sql, { ...query, ...unknown }, () => Effect.void))
        assert.match(error.message, /^the venue has no (account nobody$|contract NONE-USD; it has .*AAPL-USD)/)
      }

      const random = Random.make(7, "audit")
      for (const [kind, draw] of Object.entries(kinds)) {
        // The market's owner saves its state once a minute. If the save overwrites the changed unit, the test changes
        // another one.
        const attempt = Effect.gen(function* () {
          const change = yield* draw(sql, random)
          assert.isDefined(change, kind)
          const isFound = yield* within(3, round, (fault) => fault?.includes(change!.name) === true)
          return { ...change!, isFound, isReplaced: !isFound && !(yield* change!.stands) }
        })
        const { isFound, undo, what } = yield* Effect.repeat(attempt, {
          while: ({ isReplaced }) => isReplaced,
          times: 5
        })
        assert.isTrue(isFound, `${kind}: ${what}`)
        yield* undo
        assert.isTrue(yield* within(3, round, (fault) => fault === null), `${what}, which was put back`)
      }
      yield* endSecond
    }),
  900_000
)

it.live("I2: detects a deleted journal row and a row that was inserted outside the venue", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const { round, sql } = yield* auditor(url)
    const add = (stream: string, seq: number, epoch: number, events = "") =>
      sql`insert into journal (stream, seq, epoch, events) values (${stream}, ${seq}, ${epoch}, ${Buffer.from(events)})`
    const stream = `market/${symbol}`
    for (const seq of [1, 2, 3]) yield* add(stream, seq, seq)
    assert.isNull(yield* round)
    yield* sql`delete from journal where stream = ${stream} and seq = 2`
    assert.include(yield* round, stream)
    yield* add(stream, 2, 2)
    assert.isNull(yield* round)
    yield* add(stream, 5, 4)
    assert.include(yield* round, "row 5 follows row 3")
  })
)

/** Frees space on old pages of the journal for later appends. */
const makeRoom = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`insert into journal (stream, seq, epoch, events) select 'trader/gone', g, 1, '' from generate_series(1, 5000) g`
  yield* sql`insert into journal (stream, seq, epoch, events) values ('trader/ann', 1, 1, '')`
  yield* sql`delete from journal where stream = 'trader/gone'`
  // Vacuum cannot free rows that an older snapshot still uses, for example an automatic analyze's snapshot.
  const emptied = Effect.gen(function* () {
    yield* sql`vacuum journal`
    const [{ dead } = { dead: -1 }] = yield* sql<{ readonly dead: number }>`
      select n_dead_tup::int as dead from pg_stat_user_tables where relname = 'journal'`
    return dead === 0
  })
  yield* Effect.repeat(emptied, { until: (isEmpty) => isEmpty })
})

/** Appends a claim. Fails unless the row is stored on a page before the newest page. */
const claimInRoom = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, stream: string, seq: number) {
  const [row] = yield* sql<{ readonly page: number; readonly pages: number }>`
    insert into journal (stream, seq, epoch, events) values (${stream}, ${seq}, ${seq}, '')
    returning (ctid::text::point)[0]::int as page, (pg_relation_size('journal') / 8192)::int as pages`
  assert.isBelow(row!.page, row!.pages - 1)
})

const nothing = { deposit: "0", referralRewards: "0", positions: [] }

/** Writes a desk report about a user at the current time of the test. */
const report = (sql: SqlClient.SqlClient, userId: string, seq: number, deposit = "0") =>
  Effect.flatMap(Clock.currentTimeMillis, (nowMillis) => {
    const traders = [{ userId, seq, markets: [], accounts: [{ ...nothing, accountId: userId, deposit }] }]
    return sql`
      insert into desk_report values ('0', ${new Date(nowMillis)}, ${JSON.stringify(traders)}::jsonb)
      on conflict (desk) do update set reported_at = excluded.reported_at, traders = excluded.traders`
  })

it.effect("reads a claim that was written to freed space in an old database page", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const { books, round, sql } = yield* auditor(url)
    yield* makeRoom(sql)
    assert.isNull(yield* round)
    yield* TestClock.adjust("20 seconds")
    assert.isNull(yield* round)
    // A new connection has no cached target page, so its append uses the freed space.
    const { sql: another } = yield* auditor(url)
    yield* claimInRoom(another, "trader/zoe", 1)
    yield* claimInRoom(another, "trader/ann", 2)
    yield* report(sql, "zoe", 0)
    assert.isNull(yield* round)
    assert.strictEqual(books.traders.get("zoe")?.line.seq, 1)
    assert.strictEqual(books.traders.get("ann")?.line.seq, 2)
  })
)

it.effect("reports a fault if a desk reports money, other than zero, for a user without journal rows", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const { round, sql } = yield* auditor(url)
    yield* TestClock.adjust("20 seconds")
    yield* report(sql, "nobody", 0)
    assert.isNull(yield* round)
    yield* TestClock.adjust("2 seconds")
    yield* report(sql, "nobody", 0, "1")
    assert.include(yield* round, "nobody")
    yield* TestClock.adjust("2 seconds")
    yield* report(sql, "nobody", 0)
    assert.isNull(yield* round)
  })
)

it.live(
  "reads the rows of a transaction that commits many audits after it began, even if the table was rewritten",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { books, round, sql } = yield* auditor(url)
      const { sql: late } = yield* auditor(url)
      const add = (client: SqlClient.SqlClient, stream: string, seq: number) =>
        client`insert into journal (stream, seq, epoch, events) values (${stream}, ${seq}, ${seq}, '')`
      const seqOf = (user: string) => books.traders.get(user)?.line.seq
      yield* add(sql, "trader/ann", 1)
      assert.isNull(yield* round)
      const [begun, mayCommit] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const committing = yield* Effect.forkChild(
        late.withTransaction(
          Effect.gen(function* () {
            yield* add(late, "trader/late", 1)
            yield* Deferred.succeed(begun, undefined)
            yield* Deferred.await(mayCommit)
          })
        )
      )
      yield* Deferred.await(begun)
      for (let seq = 2; seq < 6; seq++) {
        yield* add(sql, "trader/ann", seq)
        // A rolled-back append uses a transaction id and leaves a dead row.
        yield* Effect.ignore(
          sql.withTransaction(Effect.andThen(add(sql, "trader/broken", 1), Effect.fail("broken off")))
        )
        assert.isNull(yield* round)
        assert.deepStrictEqual([seqOf("ann"), seqOf("late"), seqOf("broken")], [seq, undefined, undefined])
      }
      yield* Deferred.succeed(mayCommit, undefined)
      yield* Fiber.join(committing)
      assert.isNull(yield* round)
      assert.strictEqual(seqOf("late"), 1)
      yield* sql`delete from journal where stream = 'trader/ann'`
      yield* sql`vacuum full journal`
      yield* sql`insert into journal (stream, seq, epoch, events) select 'trader/ann', g, g, '' from generate_series(1, 5) g`
      yield* add(late, "trader/new", 1)
      assert.isNull(yield* round)
      assert.strictEqual(seqOf("new"), 1)
    })
)
