/**
 * Tests of `npm run fill`: the generated rows are readable as trades and filled orders, and the script refuses a
 * database that a running venue uses.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import { AccountId } from "@venue/domain/AccountId"
import * as DatabaseClaim from "@venue/postgres/DatabaseClaim"
import * as Orders from "@venue/storage/history/Orders"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as Trades from "@venue/storage/history/Trades"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { freshDatabase } from "../Postgres.ts"

const program = fileURLToPath(new URL("FillHistory.ts", import.meta.url))

/** Runs the script and returns its exit code and output. */
const fill = (databaseUrl: string, ...args: ReadonlyArray<string>) =>
  Effect.callback<readonly [number | null, string]>((resume) => {
    const child = spawn(process.execPath, [program, ...args], {
      env: { ...process.env, VENUE_DATABASE_URL: databaseUrl }
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()))
    child.on("close", (code) => resume(Effect.succeed([code, said])))
  })

it.live(
  "generates rows that the venue reads as trades and filled orders, and adds more rows on a second run",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const accountId = AccountId.make("11111111-1111-4111-8111-111111111111")
      const asked = ["--trades", "7", "--account", accountId]
      assert.strictEqual((yield* fill(Redacted.value(url), ...asked))[0], 0)
      assert.strictEqual((yield* fill(Redacted.value(url), "--trades", "3"))[0], 0)
      yield* Effect.gen(function* () {
        const { read } = yield* ReadTables
        const trades = yield* read(Trades.page({ accountId, limit: 100, offset: 0 }))
        assert.lengthOf(trades, 7)
        const orders = yield* read(Orders.page({ accountId, limit: 100, offset: 0 }))
        assert.deepStrictEqual(
          orders.map(({ orderId }) => orderId),
          [...new Set(trades.map(({ orderId }) => orderId))]
        )
        assert.deepStrictEqual(
          orders.map(({ lastFillAtMillis }) => lastFillAtMillis),
          orders.map(({ orderId }) => trades.find((trade) => trade.orderId === orderId)!.atMillis)
        )
        yield* DatabaseClaim.hold("shared")
        const [code, said] = yield* fill(Redacted.value(url), ...asked)
        assert.strictEqual(code, 2)
        assert.match(said, /another venue is running on this database/)
        assert.lengthOf(yield* read(Trades.page({ accountId, limit: 100, offset: 0 })), 7)
      }).pipe(
        // Releases the lock before its connections close.
        Effect.scoped,
        Effect.provide(Layer.provideMerge(ReadTables.layer, PgClient.layer({ url, maxConnections: 4 })))
      )
    }).pipe(Effect.scoped),
  900_000
)
