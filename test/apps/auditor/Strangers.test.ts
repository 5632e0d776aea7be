/** Unknown users send requests to an audited venue while two users trade and the database is vacuumed. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Schedule } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { startPrice, symbol } from "../../bench/LoadFrames.ts"
import * as DevApp from "../../nodes/DevApp.ts"
import * as Operator from "../../nodes/Operator.ts"
import { freshDatabase } from "../../Postgres.ts"
import * as Strangers from "./drill/Strangers.ts"
import * as Trade from "./drill/Trade.ts"

it.live(
  "I52: requests from forty unknown users cause neither a halt nor a block of withdrawals",
  () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      const site = yield* Effect.promise(DevApp.makeSite)
      const app = yield* Effect.promise(() =>
        DevApp.start(site, {
          ...DevApp.audited,
          VENUE_DATABASE_URL: Redacted.value(url),
          VENUE_EXTRA_USERS: "2",
          VENUE_SIMULATED_PRICES: "off"
        })
      )
      const file = app.file as unknown as Strangers.DevFile
      const operator = Operator.of(app.file)
      const traders = file.users.filter(({ name }) => name.startsWith("trader-"))
      yield* Effect.promise(() => operator("POST", "/prices", { symbol, price: startPrice }))
      for (const { user_id } of traders) {
        const credit = { account_id: user_id, amount: 1_000_000, reason: "test" }
        yield* Effect.promise(() => operator("POST", "/credits", credit))
      }
      const keys = traders.map(({ public_key, secret_key }) => ({ publicKey: public_key, secretKey: secret_key }))
      const trade = yield* Effect.promise(() => Trade.begin(file.urls.trade, keys))
      const sql = yield* PgClient.makeClient({ url })
      // Deleted rows leave space on old pages, which a vacuum frees for the rows of new users.
      yield* sql`insert into journal (stream, seq, epoch, events) select 'gone', g, 1, '' from generate_series(1, 5000) g`
      yield* Effect.sleep("1 second")
      yield* sql`delete from journal where stream = 'gone'`
      const vacuum = yield* Effect.forkChild(Effect.repeat(sql`vacuum journal`, Schedule.spaced("500 millis")))
      // An auditor that reads by page would skip pages older than 15 s.
      yield* Effect.sleep("17 seconds")
      const counts = yield* Effect.promise(() => Strangers.come(file, { seed: 11, strangers: 40, concurrency: 2 }))
      yield* Effect.sleep("8 seconds")
      const [mode] = yield* sql`
        select trading, reason, fault, withdrawals_are_open() as open from venue_mode`
      yield* Fiber.interrupt(vacuum)
      trade.stop()
      assert.deepStrictEqual(
        mode,
        { trading: "TRADING", reason: "", fault: null, open: true },
        Strangers.textOf(counts)
      )
      assert.strictEqual(counts.get("sign in: 200"), 40)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer)),
  900_000
)
