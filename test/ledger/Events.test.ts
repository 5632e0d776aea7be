/** Tests that margin holds become orders and positions, and are released completely. */
import { primaryAccountOf, AccountId } from "@venue/domain/AccountId"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import { orderIdFrom } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import type { Order } from "@venue/domain/Order"
import { flat } from "@venue/domain/Position"
import { assert, test } from "@effect/vitest"
import { id } from "../Id.ts"
import { aapl, alice, make, orderOf, usd } from "./Scene.ts"

const msft = MarketSymbol.make("MSFT-USD")

const funded = () => {
  const scene = make()
  scene.credit(10_000)
  scene.price(aapl, 200)
  return scene
}

test("turns a margin hold into the resting order's margin, and releases it with the order", () => {
  const scene = funded()
  const command = scene.placed("BUY", 5, 200)
  assert.deepStrictEqual(Ledger.orders(scene.trader, primaryAccountOf(alice)), [])
  const order = scene.accept(command)
  assert.strictEqual(scene.balance().orderMargin, usd(100))
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
  assert.deepStrictEqual(Ledger.orders(scene.trader, primaryAccountOf(alice)), [{ symbol: aapl, order }])
  scene.end(order)
  assert.strictEqual(scene.balance().available, usd(10_000))
  assert.deepStrictEqual(Ledger.orders(scene.trader, primaryAccountOf(alice)), [])
})

test.each(["EXPIRED", "REJECTED_OPEN_INTEREST_LIMIT", "PRICE_GREATER_THAN_MAX_PRICE"] as const)(
  "releases a placement's margin hold when the outcome is %s",
  (status) => {
    const scene = funded()
    scene.refuse(scene.placed("BUY", 5, 200), status)
    assert.strictEqual(scene.balance().available, usd(10_000))
    assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
  }
)

test("releases a command's margin hold once, even if the release is repeated", () => {
  const scene = funded()
  const command = scene.placed("BUY", 5, 200)
  Ledger.release(scene.trader, MarketSymbol.make("MSFT-USD"), command.commandId)
  assert.strictEqual(scene.balance().orderMargin, usd(100))
  Ledger.release(scene.trader, aapl, command.commandId)
  Ledger.release(scene.trader, aapl, command.commandId)
  assert.strictEqual(scene.balance().orderMargin, 0n)
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
})

test("ignores a release of a hold after the order was accepted", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 5, 200))
  Ledger.release(scene.trader, aapl, order.orderId)
  assert.strictEqual(Ledger.orders(scene.trader, primaryAccountOf(alice)).length, 1)
  assert.strictEqual(scene.balance().orderMargin, usd(100))
})

test("I20: holds margin once for a command that is repeated while in flight", () => {
  const scene = funded()
  const request = scene.requestOf("BUY", 5, 200)
  const first = Ledger.enter(scene.trader, request, 1)
  assert.deepStrictEqual(Ledger.enter(scene.trader, request, 1), first)
  assert.strictEqual(scene.balance().orderMargin, usd(100))
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 1)
})

test("I20: holds no additional margin for a repeated command that has already become an order", () => {
  const scene = funded()
  const request = scene.requestOf("BUY", 5, 200)
  const first = Ledger.enter(scene.trader, request, 1)
  assert.strictEqual(first._tag, "Place")
  if (first._tag === "Place") scene.accept(first)
  Ledger.enter(scene.trader, request, 1)
  assert.strictEqual(scene.balance().orderMargin, usd(100))
  Ledger.release(scene.trader, aapl, request.commandId)
  assert.strictEqual(scene.balance().orderMargin, usd(100))
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
})

test("turns order margin into position margin with each fill, and removes the order with the last fill", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 5, 200))
  const left = scene.trade(order, 2_000, 20_000, aapl, 0)
  assert.deepInclude(scene.balance(), { orderMargin: usd(60), positionMargin: usd(40) })
  assert.strictEqual(
    Ledger.order(scene.trader, primaryAccountOf(alice), aapl, order.orderId.text)?.order.remainingLots,
    3_000
  )
  scene.trade(left, 3_000, 20_000, aapl, 0)
  assert.deepInclude(scene.balance(), { orderMargin: 0n, positionMargin: usd(100) })
  assert.deepStrictEqual(Ledger.orders(scene.trader, primaryAccountOf(alice)), [])
})

test("holds a MARKET order's margin, valued at the edge of the price band, until the order's last lot has ended", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 5, 0, scene.market))
  assert.strictEqual(scene.balance().orderMargin, usd(110 + 100))
  const left = scene.trade(order, 4_000, 20_000, aapl, 0)
  assert.strictEqual(scene.balance().orderMargin, usd(22 + 20))
  scene.end(left, "IOC_PARTIALLY_FILLED")
  assert.deepInclude(scene.balance(), { orderMargin: 0n, positionMargin: usd(80) })
})

test("adds a close's order without margin when the market accepts it", () => {
  const scene = funded()
  scene.hold(5, 200)
  const command = Ledger.enter(
    scene.trader,
    {
      _tag: "ClosePosition",
      commandId: id("close"),
      expiresAtMillis: 0,
      accountId: primaryAccountOf(alice),
      symbol: aapl,
      clientOrderId: "",
      builderCode: ""
    },
    1
  )
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 1)
  const order = scene.accept({
    ...scene.placed("SELL", 5, 190, { reduceOnly: true, timeInForce: "IOC" }),
    commandId: command.commandId
  })
  scene.trade(order, 5_000, 19_900, aapl, 0)
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 1)
  assert.deepInclude(scene.balance(), { orderMargin: 0n, positionMargin: 0n, realised: usd(-5) })
})

test("treats a reduce-only order that the market reduces as an order with a new quantity", () => {
  const scene = funded()
  scene.hold(5, 200)
  const order = scene.accept(scene.placed("SELL", 5, 210, { reduceOnly: true }))
  scene.observe({
    _tag: "Modified",
    commandId: null,
    order: { ...order, quantityLots: 2_000, remainingLots: 2_000 },
    requeued: false,
    atMillis: 0
  })
  assert.strictEqual(Ledger.holdings(scene.trader, primaryAccountOf(alice))[0]?.openQuantityLots, 2_000)
})

test("ignores events of other users and of the market itself", () => {
  const scene = funded()
  const order = {
    ...orderOf(scene.placed("BUY", 5, 200)),
    userId: UserId.make("bob"),
    accountId: AccountId.make("bob"),
    orderId: orderIdFrom(id("bobs"))
  }
  const before = scene.balance()
  scene.observe({
    _tag: "Accepted",
    commandId: id("bobs"),
    expiresAtMillis: 0,
    order,
    makerRate: 0,
    leverage: 10,
    atMillis: 0
  })
  scene.observe({ _tag: "Modified", commandId: null, order, requeued: false, atMillis: 0 })
  scene.trade(order, 1_000, 20_000)
  scene.end(order)
  scene.observe({ _tag: "EpochRaised", userId: alice, traderEpoch: 2, atMillis: 0 })
  assert.deepStrictEqual(scene.balance(), before)
})

test("lists orders newest first, optionally by symbol, and returns one by either id", () => {
  const scene = funded()
  scene.price(MarketSymbol.make("MSFT-USD"), 400)
  const old = scene.accept(scene.placed("BUY", 1, 190, { clientOrderId: "same" }))
  const other = scene.accept(
    scene.placed("BUY", 1, 390, { symbol: MarketSymbol.make("MSFT-USD") }),
    MarketSymbol.make("MSFT-USD")
  )
  const young = scene.accept(scene.placed("BUY", 1, 191, { clientOrderId: "same" }))
  const ids = (symbol?: MarketSymbol) =>
    Ledger.orders(scene.trader, primaryAccountOf(alice), symbol).map(({ order }) => order.orderId)
  assert.deepStrictEqual(ids(), [young.orderId, other.orderId, old.orderId])
  assert.deepStrictEqual(ids(aapl), [young.orderId, old.orderId])
  assert.strictEqual(Ledger.order(scene.trader, primaryAccountOf(alice), aapl, old.orderId.text)?.order, old)
  assert.strictEqual(Ledger.order(scene.trader, primaryAccountOf(alice), aapl, "same")?.order, young)
  assert.isUndefined(Ledger.order(scene.trader, primaryAccountOf(alice), aapl, ""))
  assert.isUndefined(Ledger.order(scene.trader, primaryAccountOf(alice), MarketSymbol.make("MSFT-USD"), "same"))
})

test("a modified order keeps its position in the list and, after a reload, its position within its market", () => {
  const scene = funded()
  scene.price(msft, 400)
  const accepted = (atMillis: number, symbol: MarketSymbol): Order => {
    const { commandId, leverage, makerRate, ...rest } = scene.placed("BUY", 1, 190, { symbol })
    const order = { ...orderOf({ commandId, leverage, makerRate, ...rest }), updatedAtMillis: atMillis }
    scene.observe({ _tag: "Accepted", commandId, expiresAtMillis: 0, order, makerRate, leverage, atMillis }, symbol)
    return order
  }
  const oldest = accepted(1, aapl)
  const older = accepted(2, aapl)
  const between = accepted(3, msft)
  const youngest = accepted(4, aapl)
  const modified = { ...oldest, modified: true, updatedAtMillis: 5 }
  const filled = { ...older, remainingLots: 400, updatedAtMillis: 6 }
  scene.observe({ _tag: "Modified", commandId: null, order: modified, requeued: true, atMillis: 5 })
  scene.trade({ ...filled, remainingLots: 1_000 }, 600, 19_000)
  const listed = (trader = scene.trader) => Ledger.orders(trader, primaryAccountOf(alice)).map(({ order }) => order)
  assert.deepStrictEqual(listed(), [youngest, between, filled, modified])
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), {
    position: flat(),
    isFrozen: false,
    orders: [modified, filled, youngest],
    stops: []
  })
  assert.deepStrictEqual(listed(), [youngest, between, filled, modified])
  const woken = make().trader
  Ledger.adopt(woken, msft, primaryAccountOf(alice), {
    position: flat(),
    isFrozen: false,
    orders: [between],
    stops: []
  })
  Ledger.adopt(woken, aapl, primaryAccountOf(alice), {
    position: flat(),
    isFrozen: false,
    orders: [modified, filled, youngest],
    stops: []
  })
  assert.deepStrictEqual(listed(woken), [youngest, filled, modified, between])
  assert.deepStrictEqual(
    Ledger.orders(woken, primaryAccountOf(alice)).map((open) => open.order.modified),
    [false, false, true, false]
  )
})

test("a market's view replaces only that market's state", () => {
  const scene = funded()
  scene.price(MarketSymbol.make("MSFT-USD"), 400)
  scene.accept(scene.placed("BUY", 1, 400, { symbol: MarketSymbol.make("MSFT-USD") }), MarketSymbol.make("MSFT-USD"))
  scene.accept(scene.placed("BUY", 5, 200))
  scene.hold(3, 190)
  const kept = orderOf(scene.placed("BUY", 2, 200))
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), {
    position: flat(),
    isFrozen: false,
    orders: [kept],
    stops: []
  })
  assert.strictEqual(scene.balance().orderMargin, usd(40 + 40))
  assert.strictEqual(scene.balance().positionMargin, 0n)
  assert.deepStrictEqual(
    Ledger.orders(scene.trader, primaryAccountOf(alice), aapl).map(({ order }) => order),
    [kept]
  )
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
})

test("adopting a view keeps the margin holds of in-flight commands", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 1, 200))
  const placing = scene.placed("BUY", 5, 200)
  const modifying = scene.modification(order, 0, 2)
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), {
    position: flat(),
    isFrozen: false,
    orders: [order],
    stops: []
  })
  assert.strictEqual(scene.balance().orderMargin, usd(100 + 40))
  scene.refuse(placing, "EXPIRED")
  scene.refuse(modifying, "EXPIRED")
  assert.strictEqual(scene.balance().orderMargin, usd(20))
})

test("adopting the same view twice leaves the same state", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 5, 200))
  const view = {
    position: { ...flat(), quantityLots: 1_000, cashFlow: -200_000_000, basis: 200_000_000 },
    isFrozen: false,
    orders: [order],
    stops: []
  }
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), view)
  const before = scene.balance()
  Ledger.adopt(scene.trader, aapl, primaryAccountOf(alice), view)
  assert.deepStrictEqual(scene.balance(), before)
  scene.end(order)
  assert.strictEqual(scene.balance().orderMargin, 0n)
})

test("throws on an event for an account that the user never opened", () => {
  const scene = funded()
  const order = { ...orderOf(scene.placed("BUY", 5, 200)), accountId: AccountId.make("none") }
  assert.throws(() => scene.end(order))
})
