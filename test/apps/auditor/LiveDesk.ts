/** A drill's desk on a separate database: one trader with a position, whose balances the drill can change in memory. */
import * as AuditReports from "@venue/cluster/entities/desk/traders/AuditReports"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import { primaryAccountOf } from "@venue/domain/AccountId"
import { marketStream } from "@venue/domain/Market"
import { Journal } from "@venue/journal/Journal"
import * as MarketRecord from "@venue/journal/MarketRecord"
import * as DatabaseClock from "@venue/postgres/DatabaseClock"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { DeskReports } from "@venue/storage/audit/DeskReports"
import { ReadTables } from "@venue/storage/history/ReadTables"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Clock, Effect, Layer, type Redacted } from "effect"
import { SqlClient } from "effect/sql"
import type { Random } from "../../chaos/Random.ts"
import { makeMarket } from "../../cluster/EngineMarket.ts"
import { buyingThree, one, settings, userId } from "../../cluster/Neighbours.ts"
import { Scene } from "../../matching/EngineScene.ts"
import type { Change } from "./Changes.ts"

const accountId = primaryAccountOf(userId)

const usd = 1_000_000n

/** Returns the desk, which runs until the scope closes. An auditor of the database must start afterwards. */
export const make = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const market = makeMarket()
  const services = Layer.mergeAll(
    Journal.layer,
    ReadTables.layer,
    VenueModes.layer,
    DeskReports.layer,
    settings()
  ).pipe(
    Layer.provideMerge(market.layer),
    Layer.provideMerge(DatabaseClock.layer),
    Layer.provideMerge(Layer.fresh(PgClient.layer({ url, maxConnections: 4 })))
  )
  const around = yield* Layer.build(services)
  return yield* Effect.provide(begin(market), around)
})

const begin = Effect.fnUntraced(function* ({ decide, near, rows }: ReturnType<typeof makeMarket>) {
  const sql = yield* SqlClient.SqlClient
  const modes = yield* VenueModes
  const write = (seq: number, events: Uint8Array) =>
    sql`insert into journal (stream, seq, epoch, events) values (${marketStream(one.symbol)}, ${seq}, 1, ${events})`
  /** Writes the market's new events to its journal. */
  const written = Effect.suspend(() =>
    Effect.forEach(rows.splice(0), ({ events, seq }) => write(seq, MarketRecord.encode(events)), { discard: true })
  )
  yield* write(1, new Uint8Array(0))
  const traders = yield* Traders.make(Effect.succeed(true))
  yield* AuditReports.make("0", traders)
  const trader = yield* traders.wake(userId)
  trader.change({ _tag: "Credit", creditId: "", accountId, amount: 10_000n * usd, reason: "" }, () => {})
  const house = new Scene(null)
  const now = yield* Clock.currentTimeMillis
  house.now = now
  decide({ _tag: "Observe", priceE8: 200e8, teller: "operator" }, now)
  decide(house.placing("SELL", 5, 200, { account: "house" }), now)
  yield* Effect.sleep("200 millis")
  trader.enter(buyingThree(house.id(), accountId, now))
  yield* Effect.sleep("1 second")
  for (const { command } of near.submitted.splice(0)) decide(command, now)
  yield* Effect.sleep("200 millis")
  yield* written
  const account = trader.ledger.accounts.get(accountId)!
  const { position } = account.exposures.get(one.symbol)!
  if (position.quantityLots === 0 || account.deposit === 0n) {
    return yield* Effect.die(new Error("the desk of the drill has no position: it would prove nothing"))
  }

  /** Adds one unit to a balance in the memory of the desk. */
  const change = (random: Random): Change => {
    const part = random.pick(parts)
    const add = (unit: 1 | -1) => {
      if (part === "deposit" || part === "referralRewards") account[part] += BigInt(unit)
      else position[part] += unit
    }
    add(1)
    return {
      name: userId,
      what: `${part} of account ${accountId} at a desk`,
      undo: Effect.sync(() => add(-1)),
      stands: Effect.succeed(true)
    }
  }
  return { change, modes, sql }
})

const parts = ["deposit", "referralRewards", "quantityLots", "cashFlow", "basis", "fees", "funding", "rewards"] as const
