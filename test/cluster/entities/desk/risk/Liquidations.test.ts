/** Tests of commands for accounts in liquidation, and of reports of positions without a counterparty (rule 9). */
import * as Liquidations from "@venue/cluster/entities/desk/risk/Liquidations"
import * as Traders from "@venue/cluster/entities/desk/traders/Traders"
import * as Twaps from "@venue/cluster/entities/desk/orders/Twaps"
import type { Feed } from "@venue/cluster/feed/Feed"
import type { MarketClient } from "@venue/cluster/clients/MarketClient"
import { primaryAccountOf } from "@venue/domain/AccountId"
import type { TakeoverClosed, TakeoverOpened } from "@venue/domain/Liquidation"
import { Journal } from "@venue/journal/Journal"
import { VenueModes } from "@venue/storage/access/VenueModes"
import { ReadTables } from "@venue/storage/history/ReadTables"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { pricedAt } from "../../../../ledger/Scene.ts"
import { idOf, neighbours, one, turns, two, userId, venue } from "../../../Neighbours.ts"

type Near = ReturnType<typeof neighbours>

const accountId = primaryAccountOf(userId)

const desk = (
  name: string,
  tell: (
    near: Near
  ) => Effect.Effect<void, unknown, Feed | MarketClient | Journal | ReadTables | VenueModes | Scope.Scope>
) =>
  it.effect(name, () => {
    const near = neighbours()
    const testLayer = Layer.mergeAll(near.layer, Journal.layerMemory, ReadTables.layerMemory)
    return tell(near).pipe(Effect.provide(Layer.provideMerge(testLayer, venue)))
  })

/**
 * Creates a user with 10,600 USD who is short 50 units of the first contract at a cost basis of 0. At a mark of 200,
 * the equity is 600 and the maintenance margin 666.67.
 */
const begin = Effect.fnUntraced(function* (near: Near) {
  for (const instrument of [one, two]) {
    near.answers(instrument)
    near.tradingStates.set(instrument.symbol, "TRADING")
    near.tell(instrument, 1, instrument.symbol, pricedAt(instrument.symbol, 100))
  }
  near.held.set(one.symbol, -50_000)
  const traders = yield* Traders.make(Effect.succeed(true))
  const { left } = yield* Liquidations.make(traders, yield* Twaps.make(traders))
  const trader = yield* traders.wake(userId)
  trader.change({ _tag: "Credit", creditId: "", accountId, amount: 10_600_000_000n, reason: "" }, () => {})
  trader.join(one.symbol)
  trader.join(two.symbol)
  yield* turns
  yield* TestClock.adjust("1 second")
  yield* turns
  assert.isTrue(trader.isLive())
  near.submitted.length = 0
  let seq = 1
  const price = Effect.fnUntraced(function* (at: number, more: object = {}) {
    near.tell(one, ++seq, one.symbol, { ...pricedAt(one.symbol, at), ...more })
    yield* turns
  })
  /** Publishes this many heartbeats of each market, one second apart. */
  const wait = (seconds: number) =>
    Effect.repeat(
      Effect.gen(function* () {
        yield* TestClock.adjust("1 second")
        const nowMillis = yield* Clock.currentTimeMillis
        for (const { symbol } of [one, two]) near.heard.set(symbol, nowMillis)
      }),
      { times: seconds - 1 }
    )
  const done = () => {
    const { commandId } = near.submitted.at(-1)!.command
    near.tell(one, ++seq, accountId, { _tag: "Done", commandId, expiresAtMillis: 0, userId, accountId, atMillis: 0 })
  }
  const sent = () => near.submitted.map(({ command, symbol }) => `${command._tag} ${symbol}`)
  yield* wait(1)
  return { done, left, price, sent, trader, wait }
})

desk(
  "rule 9.3: sends a liquidation command immediately and then every second, unless the last one is still in flight",
  (near) =>
    Effect.gen(function* () {
      const { done, price, sent, wait } = yield* begin(near)
      yield* price(198.5)
      assert.deepEqual(sent(), [])
      yield* price(200)
      assert.deepEqual(sent(), [`Liquidate ${one.symbol}`])
      yield* price(200.1)
      yield* wait(3)
      assert.lengthOf(sent(), 1)
      done()
      yield* wait(1)
      assert.lengthOf(sent(), 2)
      done()
      yield* price(200.2)
      assert.lengthOf(sent(), 2)
      yield* wait(1)
      assert.lengthOf(sent(), 3)
      assert.strictEqual(new Set(near.submitted.map(({ command }) => command.commandId.text)).size, 3)
      done()
      yield* price(198)
      yield* wait(3)
      assert.lengthOf(sent(), 3)
    })
)

desk("resends an expired liquidation command under a new id", (near) =>
  Effect.gen(function* () {
    const { price, sent, wait } = yield* begin(near)
    yield* price(200)
    yield* wait(5)
    assert.lengthOf(sent(), 1)
    yield* wait(2)
    assert.lengthOf(sent(), 2)
  })
)

desk(
  "rule 9.3: sends a liquidation command only to a market that is trading, has a fresh price and is not silent",
  (near) =>
    Effect.gen(function* () {
      const { price, sent, wait } = yield* begin(near)
      near.tradingStates.set(one.symbol, "CANCEL_ONLY")
      yield* price(200)
      yield* wait(2)
      near.tradingStates.set(one.symbol, "TRADING")
      yield* price(200, { source: "stale" })
      yield* wait(2)
      yield* price(200)
      near.heard.set(one.symbol, 0)
      yield* TestClock.adjust("2 seconds")
      assert.deepEqual(sent(), [])
      yield* wait(2)
      assert.deepEqual(sent(), [`Liquidate ${one.symbol}`])
    })
)

desk("I52: liquidates no account while the venue is halted, but liquidates accounts in cancel-only mode", (near) =>
  Effect.gen(function* () {
    const { price, sent, wait } = yield* begin(near)
    const modes = yield* VenueModes
    yield* modes.halt({ by: "auditor", reason: "the books" })
    yield* price(200)
    yield* wait(3)
    assert.deepEqual(sent(), [])
    yield* modes.audited({ fault: null, difference: null })
    yield* modes.resume("CANCEL_ONLY", { by: "tom", reason: "checked" })
    yield* wait(2)
    assert.deepEqual(sent(), [`Liquidate ${one.symbol}`])
  })
)

desk("rule 9.3: also cancels a liquidated account's orders in every other market that is not halted", (near) =>
  Effect.gen(function* () {
    const { done, price, sent, trader, wait } = yield* begin(near)
    const order = {
      _tag: "PlaceOrder",
      commandId: idOf(900),
      expiresAtMillis: 60_000,
      accountId,
      symbol: two.symbol,
      side: "BUY",
      type: "LIMIT",
      timeInForce: "GTC",
      price: 100,
      quantity: 1,
      reduceOnly: false,
      clientOrderId: "",
      builderCode: ""
    } as const
    assert.isTrue(trader.enter(order))
    near.submitted.length = 0
    near.tradingStates.set(two.symbol, "HALTED")
    yield* price(200)
    assert.deepEqual(sent(), [`Liquidate ${one.symbol}`])
    done()
    near.tradingStates.set(two.symbol, "TRADING")
    yield* wait(1)
    assert.deepEqual(sent().slice(1), [`Liquidate ${one.symbol}`, `CancelAll ${two.symbol}`])
    assert.deepInclude(near.submitted[2]!.command, { cause: "LIQUIDATION" })
  })
)

const takeover = { takeoverId: idOf(800), userId, accountId, atMillis: 7 }
const opened: TakeoverOpened = {
  _tag: "TakeoverOpened",
  ...takeover,
  accountId: primaryAccountOf(userId),
  expiresAtMillis: 0,
  quantityLots: -50_000,
  markE8: 0,
  share: 0
}
const closed = (leftLots: number): TakeoverClosed => ({ _tag: "TakeoverClosed", ...takeover, leftLots })

desk(
  "sends no liquidation command during a takeover, and logs each quantity that no account takes over a single time",
  (near) => {
    const lines: Array<string> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message }) => void lines.push(`${logLevel} ${message}`))
    return Effect.gen(function* () {
      const { done, left, price, sent, wait } = yield* begin(near)
      yield* price(205)
      assert.deepEqual(sent(), [`OpenTakeover ${one.symbol}`])
      near.tell(one, 100, one.symbol, { ...opened, takeoverId: near.submitted[0]!.command.commandId })
      yield* wait(3)
      assert.lengthOf(sent(), 1)
      for (const lots of [-50_000, -50_000, -20_000]) near.tell(one, 101, one.symbol, closed(lots))
      yield* wait(1)
      assert.lengthOf(sent(), 2)
      const position = { userId, accountId, symbol: one.symbol, sinceMillis: 7 }
      assert.deepEqual(left(), [{ ...position, quantityLots: -20_000 }])
      assert.lengthOf(lines, 2)
      assert.match(lines[0]!, /^Error .*no account can take over -50 of account/)
      assert.match(lines[1]!, /^Error .*no account can take over -20 of account/)
      done()
      yield* price(190)
      yield* wait(2)
      assert.deepEqual(left(), [])
      assert.match(lines[2]!, /^Warn /)
    }).pipe(Effect.provide(Logger.layer([logger])))
  }
)

desk(
  "rule 9.14: a desk that starts during a takeover reports its accounts to the market once its traders are live",
  (near) =>
    Effect.gen(function* () {
      const theirs = { ...opened, userId: idOf(7).text as typeof userId, accountId: idOf(7).text as typeof accountId }
      near.tell(one, 1, one.symbol, { ...theirs, takeoverId: idOf(1), quantityLots: 10 })
      const { wait } = yield* begin(near)
      assert.isNotEmpty(near.stands)
      assert.deepInclude(near.stands.at(-1)!.stands[0], { userId, accountId, provider: null })
      const { length } = near.stands
      yield* wait(2)
      assert.lengthOf(near.stands, length)
      near.tell(one, 60, one.symbol, { ...closed(0), takeoverId: idOf(1) })
      yield* wait(1)
      assert.lengthOf(near.stands, length)
    })
)

desk(
  "rule 9.7: reports the accounts with opposite positions in a single call if several takeovers open almost together",
  (near) =>
    Effect.gen(function* () {
      const { wait } = yield* begin(near)
      const theirs = { ...opened, userId: idOf(7).text as typeof userId, accountId: idOf(7).text as typeof accountId }
      near.tell(one, 50, one.symbol, { ...theirs, takeoverId: idOf(1), quantityLots: -10 })
      yield* wait(1)
      assert.lengthOf(near.stands, 0)
      near.tell(one, 51, one.symbol, { ...theirs, takeoverId: idOf(2), quantityLots: 10 })
      near.tell(one, 52, one.symbol, { ...theirs, takeoverId: idOf(3), quantityLots: 20 })
      yield* TestClock.adjust("100 millis")
      assert.lengthOf(near.stands, 1)
      assert.strictEqual(near.stands[0]!.symbol, one.symbol)
      assert.deepInclude(near.stands[0]!.stands[0], { userId, accountId, provider: null })
      // Positions have changed since then, so the desk reports its accounts again.
      near.tell(one, 53, one.symbol, { ...closed(0), takeoverId: idOf(2) })
      yield* TestClock.adjust("100 millis")
      assert.lengthOf(near.stands, 2)
    })
)
