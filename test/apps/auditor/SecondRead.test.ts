/** Single wrong reads, which are ignored, and persistent wrong reads, which are reported as faults. */
import { DeskClient } from "@venue/cluster/clients/DeskClient"
import { noCost } from "@venue/cluster/protocol/Desk"
import { traderStream } from "@venue/domain/Trader"
import type { UserId } from "@venue/domain/UserId"
import { TestVenue } from "@venue/testing/TestVenue"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, type Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { pack, unpack } from "msgpackr"
import type * as Reading from "../../../apps/auditor/Reading.ts"
import { freePort, gateway, runner } from "../../cluster/VenueNodes.ts"
import { freshDatabase } from "../../Postgres.ts"
import { arrive, auditor, saveTrader } from "./AuditedVenue.ts"

const symbol = "AAPL-USD"

/** Changes the result of a read; `changed` returns undefined for a result that it leaves unchanged. */
type Change = <A, E>(read: Effect.Effect<A, E>, changed: (answer: A) => A | undefined) => Effect.Effect<A, E>

/** Kind of wrong read: the methods of `Reading` that it replaces. */
type Wrong = (reading: Reading.Reading, change: Change, userId: UserId) => Partial<Reading.Reading>

const withoutRow =
  (isLeftOut: (seq: number, seqs: ReadonlyArray<number>) => boolean): Wrong =>
  (reading, change, userId) => ({
    rows: (of, limit) =>
      change(reading.rows(of, limit), (rows) => {
        const seqs = rows.filter(({ stream }) => stream === traderStream(userId)).map(({ seq }) => seq)
        const left = rows.filter(({ seq, stream }) => stream !== traderStream(userId) || !isLeftOut(seq, seqs))
        return left.length < rows.length ? left : undefined
      })
  })

const withoutEntry =
  (prefix: string): Wrong =>
  (reading, change) => ({
    entries: (of) =>
      change(reading.entries(of), (byStream) => {
        const stream = [...byStream.keys()].find((name) => name.startsWith(prefix))
        return stream === undefined ? undefined : new Map([...byStream, [stream, byStream.get(stream)!.slice(1)]])
      })
  })

const withHash =
  (table: string): Wrong =>
  (reading, change) => ({
    rangeHashes: (of, ranges) =>
      change(reading.rangeHashes(of, ranges), (hashes) =>
        of === table && hashes.length > 0 ? hashes.map(({ count, hash }) => ({ count, hash: hash ^ 1n })) : undefined
      )
  })

interface State {
  readonly accounts: ReadonlyArray<{ readonly deposit: string }>
}

const wrongs: Readonly<Record<string, Wrong>> = {
  "a row that others follow is left out": withoutRow((seq, seqs) => seq === 2 && seqs.length > 2),
  "the newest row, which a desk reports, is left out": withoutRow((seq, seqs) => seq === seqs.at(-1) && seq > 1),
  "an entry of a trader is left out": withoutEntry("trader/"),
  "an entry of a withdrawal that arrived is left out": withoutEntry("withdrawal/"),
  "trades have another hash": withHash("trade"),
  "rows of the journal have another hash": withHash("journal"),
  "entries have another hash": withHash("ledger_entry"),
  "a saved balance is one unit more": (reading, change) => ({
    saved: (stream, seq, hasParts) =>
      change(reading.saved(stream, seq, hasParts), (bytes) => {
        if (!stream.startsWith("trader/")) return undefined
        const state = unpack(bytes) as State
        const deposit = String(BigInt(state.accounts[0]!.deposit) + 1n)
        return pack({ ...state, accounts: state.accounts.with(0, { ...state.accounts[0]!, deposit }) })
      })
  }),
  "a saved state is gone from under its hash": (reading, change) => {
    // Leaves the first result unchanged, because the auditor compares later results with the first.
    let answers = 0
    return {
      savedHashes: (streams) =>
        change(reading.savedHashes(streams), (hashes) =>
          hashes.length > 0 && ++answers > 1 ? hashes.map(() => 0n) : undefined
        )
    }
  },
  "the step at which a withdrawal arrived is another": (reading, change) => ({
    arrived: (ids) =>
      change(reading.arrived(ids), (arrived) =>
        arrived.length > 0 ? arrived.map(({ step, withdrawalId }) => ({ withdrawalId, step: step + 1 })) : undefined
      )
  })
}

/** Prepares two users with money, trades, a settled withdrawal, a saved state and a desk that reports them. */
const begin = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const port = yield* Effect.promise(freePort)
  yield* Layer.build(runner(url, port))
  const services = yield* Layer.build(gateway(url))
  const venue = Context.get(services, TestVenue)
  const desks = Context.get(services, DeskClient)
  const sql = Context.get(services, SqlClient.SqlClient)
  yield* Effect.retry(Effect.sandbox(venue.price(symbol, 200)), Schedule.spaced("100 millis"))
  const users = yield* Effect.forEach(["alice", "bob"], (name) => venue.user(name))
  const [{ userId }] = users as [(typeof users)[0], (typeof users)[0]]
  yield* venue.subaccount(users[0]!, 500)
  const withdrawal = { method: "ARBITRUM_ONE", amount: 20_000_000n, destination: "0xabc", reasons: [] } as const
  yield* desks.ask(userId, (desk) => desk.Withdraw({ userId, cost: noCost, withdrawalId: userId, ...withdrawal }))
  const [alice, bob] = yield* Effect.forEach(users, (user) => venue.trade(user))
  const order = { symbol, order_type: "LIMIT", order_time_in_force: "GTC", quantity: 0.1, price: 200 }
  for (let trades = 0; trades < 3; trades++) {
    yield* alice!.send({ type: "add_order", params: { ...order, side: "SELL" } })
    yield* bob!.send({ type: "add_order", params: { ...order, side: "BUY" } })
  }
  yield* bob!.take("fill_response")
  // A venue pays withdrawals only after its first audit.
  const { round } = yield* auditor(url)
  yield* round
  yield* arrive("ARBITRUM_ONE", sql)
  yield* saveTrader(sql, userId)
  return { sql, userId }
})

/** Waits until the tables and the desk reports include the whole journal. */
const settled = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  userId: UserId,
  round: Effect.Effect<string | null, unknown>
) {
  const isSettled = Effect.gen(function* () {
    assert.isNull(yield* round)
    const [row] = yield* sql<{ readonly isSettled: boolean }>`
      select coalesce(max(j.seq) = max(p.seq) and max(j.seq) = max((t->>'seq')::bigint), false) as "isSettled"
      from journal j
      join projection p on p.position = 'ledger:' || j.stream
      cross join desk_report r cross join lateral jsonb_array_elements(r.traders) as t
      where j.stream = ${traderStream(userId)} and length(j.events) > 0 and t->>'userId' = ${userId}`
    return row!.isSettled
  })
  yield* Effect.repeat(isSettled, { until: (isSo) => isSo, schedule: Schedule.spaced("200 millis") })
})

const rounds = 4

it.live(
  "I52: ignores a single wrong read of any kind, and reports a wrong read that repeats",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const { sql, userId } = yield* begin(url)
      const right = yield* auditor(url)
      yield* settled(sql, userId, right.round)
      const result = Effect.fnUntraced(function* (wrong: Wrong, most: number) {
        let times = 0
        const change: Change = (read, changed) =>
          Effect.map(read, (answer) => {
            const is = times < most ? changed(answer) : undefined
            if (is === undefined) return answer
            times++
            return is
          })
        const { round } = yield* auditor(url, (reading) => ({ ...reading, ...wrong(reading, change, userId) }))
        const faults = yield* Effect.replicateEffect(round, rounds)
        return { times, faults: faults.filter((fault) => fault !== null) }
      }, Effect.scoped)
      for (const [name, wrong] of Object.entries(wrongs)) {
        assert.deepStrictEqual(yield* result(wrong, 1), { times: 1, faults: [] }, `once: ${name}`)
        assert.isNotEmpty((yield* result(wrong, Infinity)).faults, `always: ${name}`)
      }
      const leavesOut: Wrong = (reading, change) => ({
        tradersSince: (since) => change(reading.tradersSince(since), (all) => (all.length > 0 ? [] : undefined))
      })
      const { faults } = yield* result(leavesOut, Infinity)
      assert.deepStrictEqual(faults, [], "a list of streams that leaves out streams")
    }),
  900_000
)
