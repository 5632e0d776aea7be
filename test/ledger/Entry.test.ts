/** Tests of the conversion of client requests to market commands. */
import { primaryAccountOf, AccountId } from "@venue/domain/AccountId"
import { noEcho } from "@venue/domain/Echo"
import type { Modify, Refuse } from "@venue/domain/Market"
import { MarketSymbol } from "@venue/domain/MarketSymbol"
import type { OrderRequest, PlaceOrder } from "@venue/domain/Order"
import { orderIdFrom } from "@venue/domain/OrderId"
import { UserId } from "@venue/domain/UserId"
import * as Ledger from "@venue/ledger/Ledger"
import { assert, test } from "@effect/vitest"
import { id } from "../Id.ts"
import { aapl, alice, make, usd } from "./Scene.ts"

const funded = (settings: Partial<Ledger.Settings> = {}) => {
  const scene = make(settings)
  scene.credit(1_000_000)
  scene.price(aapl, 200)
  return scene
}

const refusalOf = (quantity: number, price: number, more: Partial<PlaceOrder>) => {
  const command = funded().enter("BUY", quantity, price, more)
  return command._tag === "Refuse" ? command.status : command._tag
}

test("converts a valid order to ticks and lots", () => {
  const command = funded().enter("BUY", 2.5, 199.99, {
    clientOrderId: "mine",
    builderCode: "code",
    commandId: id("one")
  })
  assert.deepStrictEqual(command, {
    _tag: "Place",
    commandId: id("one"),
    expiresAtMillis: 60_000,
    traderEpoch: 1,
    userId: alice,
    accountId: primaryAccountOf(alice),
    makerRate: 20_000,
    takerRate: 100_000,
    maxNotional: 2_500_000_000_000,
    leverage: 10,
    finding: null,
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    priceTicks: 19_999,
    quantityLots: 2_500,
    reduceOnly: false,
    clientOrderId: "mine",
    builderCode: "code",
    origin: "USER"
  })
})

test("ignores the price of a MARKET order", () => {
  assert.strictEqual(funded().placed("BUY", 1, 0.001234, { type: "MARKET", timeInForce: "IOC" }).priceTicks, 0)
})

test.each<[string, string, number, number, Partial<PlaceOrder>]>([
  ["a client cannot send STOP_MARKET", "INVALID_ORDER_TYPE", 1, 200, { type: "STOP_MARKET", timeInForce: "IOC" }],
  ["a stop has any time in force and no minimum", "Place", 0.001, 200, { type: "STOP_LOSS", timeInForce: "FOK" }],
  ["a stop has no maximum quantity", "Place", 100_000.001, 200, { type: "TAKE_PROFIT" }],
  ["a stop has whole lots", "INVALID_TICK_SIZE_PRECISION_QUANTITY", 1.0001, 200, { type: "STOP_LOSS" }],
  ["a stop has a quantity above zero", "QUANTITY_LESS_THAN_MIN_QUANTITY", 0, 200, { type: "STOP_LOSS" }],
  ["a stop has a price in whole ticks", "INVALID_TICK_SIZE_PRECISION_PRICE", 1, 200.001, { type: "TAKE_PROFIT" }],
  ["a MARKET order cannot rest", "INVALID_TIME_IN_FORCE", 1, 0, { type: "MARKET" }],
  ["a MARKET order cannot be FOK", "INVALID_TIME_IN_FORCE", 1, 0, { type: "MARKET", timeInForce: "FOK" }],
  ["an ALO order must rest", "INVALID_TIME_IN_FORCE", 1, 200, { type: "ALO", timeInForce: "IOC" }],
  ["quantities are whole lots", "INVALID_TICK_SIZE_PRECISION_QUANTITY", 1.0001, 200, {}],
  ["quantities have a minimum", "QUANTITY_LESS_THAN_MIN_QUANTITY", 0.099, 200, {}],
  ["a reduce-only order has no minimum", "Place", 0.099, 200, { reduceOnly: true }],
  ["a reduce-only quantity is above zero", "QUANTITY_LESS_THAN_MIN_QUANTITY", 0, 200, { reduceOnly: true }],
  ["no quantity is negative", "QUANTITY_LESS_THAN_MIN_QUANTITY", -1, 200, {}],
  ["quantities have a maximum", "QUANTITY_GREATER_THAN_MAX_QUANTITY", 100_000.001, 200, {}],
  ["a price of 1e16 is too high", "PRICE_GREATER_THAN_MAX_PRICE", 1, 1e16, {}],
  ["a quantity of 1e16 is too large", "QUANTITY_GREATER_THAN_MAX_QUANTITY", 1e16, 200, {}],
  ["prices are whole ticks", "INVALID_TICK_SIZE_PRECISION_PRICE", 1, 200.001, {}],
  ["prices are above zero", "PRICE_LESS_THAN_MIN_PRICE", 1, 0, {}],
  ["no price is negative", "PRICE_LESS_THAN_MIN_PRICE", 1, -5, {}],
  ["absurd prices do not reach the market", "PRICE_GREATER_THAN_MAX_PRICE", 1, 1_000_000, {}],
  ["type is checked before quantity", "INVALID_ORDER_TYPE", 0.0001, 200, { type: "STOP_MARKET" }],
  [
    "time in force is checked before quantity",
    "INVALID_TIME_IN_FORCE",
    0.0001,
    200,
    { type: "ALO", timeInForce: "FOK" }
  ],
  ["quantity is checked before price", "QUANTITY_LESS_THAN_MIN_QUANTITY", 0.001, 200.001, {}],
  [
    "unknown symbols are refused first",
    "BAD_SYMBOL",
    0.0001,
    200.001,
    { symbol: MarketSymbol.make("NONE-USD"), type: "STOP_MARKET" }
  ]
])("%s: %s", (_, status, quantity, price, more) => {
  assert.strictEqual(refusalOf(quantity, price, more), status)
})

test("a refusal echoes the client's values without an order id, and holds no margin", () => {
  const scene = funded()
  const command = scene.enter("SELL", 1.0001, 200.001, { clientOrderId: "mine" }) as Refuse
  assert.deepStrictEqual(command.echo, {
    orderId: "",
    side: "SELL",
    type: "LIMIT",
    timeInForce: "GTC",
    price: 200.001,
    quantity: 1.0001,
    clientOrderId: "mine",
    reduceOnly: false
  })
  assert.strictEqual(scene.balance().orderMargin, 0n)
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 1)
  scene.refuse(command, "INVALID_TICK_SIZE_PRECISION_QUANTITY")
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
})

test("refuses an order for another user's account", () => {
  assert.deepInclude(funded().enter("BUY", 1, 200, { accountId: AccountId.make("bob") }) as object, {
    _tag: "Refuse",
    status: "REJECTED"
  })
})

test("without prices, sends an order to the market with FAILED_MARGIN_CHECK, unless the order is reduce-only", () => {
  const scene = make()
  scene.credit(1_000)
  assert.strictEqual(scene.placed("BUY", 1, 200).finding, "FAILED_MARGIN_CHECK")
  assert.isNull(scene.placed("SELL", 1, 200, { reduceOnly: true }).finding)
  assert.strictEqual(scene.balance().orderMargin, 0n)
  // A closed market takes precedence over a fault in the order.
  assert.deepInclude(scene.enter("BUY", 1.0001, 200) as object, { status: "REJECTED_MARKET_CLOSED" })
})

test("rule 4.14: at a stale price, refuses an order that adds risk with the market-closed status, whatever its other faults", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 1, 190))
  scene.hold(2, 200)
  const resting = scene.accept(scene.placed("SELL", 1, 210))
  scene.prices.set(aapl, { ...scene.prices.get(aapl)!, source: "stale" })
  const said = (command: object) => ("status" in command ? command.status : "sent")
  const flawed = [
    scene.enter("BUY", 1, 190.001),
    scene.enter("BUY", 1.0001, 190),
    scene.enter("BUY", 1, 190, { takeProfit: 200.001 }),
    scene.modification(order, 190.001, 0),
    scene.modification(order, 0, 0.0001),
    scene.modification(order, 190.001, 1)
  ]
  for (const command of flawed) assert.strictEqual(said(command), "REJECTED_MARKET_CLOSED")
  // An order that can only reduce is accepted, or refused for its own fault.
  assert.strictEqual(said(scene.modification(resting, 210.001, 0)), "INVALID_TICK_SIZE_PRECISION_PRICE")
  assert.strictEqual(said(scene.modification(resting, 210.001, 2)), "INVALID_TICK_SIZE_PRECISION_PRICE")
  assert.strictEqual(said(scene.modification(resting, 210.001, 3)), "REJECTED_MARKET_CLOSED")
  assert.strictEqual(said(scene.enter("SELL", 1, 210.001)), "INVALID_TICK_SIZE_PRECISION_PRICE")
  assert.strictEqual(said(scene.enter("SELL", 2, 210.001)), "REJECTED_MARKET_CLOSED")
  const unlike = { ...resting, side: "BUY" } as const
  assert.strictEqual(said(scene.modification(unlike, 210.001, 0)), "CANNOT_MODIFY_NO_SUCH_ORDER")
})

test("limits an account's open orders across all symbols, including in-flight placements", () => {
  const scene = funded({ maxOpenOrdersPerAccount: 3 })
  scene.price(MarketSymbol.make("MSFT-USD"), 400)
  scene.accept(scene.placed("BUY", 1, 190))
  const order = scene.accept(
    scene.placed("BUY", 1, 400, { symbol: MarketSymbol.make("MSFT-USD") }),
    MarketSymbol.make("MSFT-USD")
  )
  const command = scene.placed("BUY", 1, 190)
  assert.strictEqual(scene.placed("BUY", 1, 190).finding, "REJECTED_TOO_MANY_OPEN_ORDERS")
  assert.isNull(scene.placed("BUY", 1, 190, { timeInForce: "IOC" }).finding)
  assert.isNull(scene.placed("BUY", 1, 0, scene.market).finding)
  scene.refuse(command, "REJECTED_OPEN_INTEREST_LIMIT")
  assert.isNull(scene.placed("BUY", 1, 190).finding)
  assert.strictEqual(scene.placed("BUY", 1, 190).finding, "REJECTED_TOO_MANY_OPEN_ORDERS")
  scene.end(order, "CANCELLED", MarketSymbol.make("MSFT-USD"))
  assert.isNull(scene.placed("BUY", 1, 190).finding)
})

test("rule 6.8: limits open orders to 1,000 by default", () => {
  const scene = make()
  scene.credit(1_000_000)
  scene.price(aapl, 200)
  for (let count = 0; count < 1_000; count++) assert.isNull(scene.placed("BUY", 0.1, 190).finding)
  assert.strictEqual(scene.placed("BUY", 0.1, 190).finding, "REJECTED_TOO_MANY_OPEN_ORDERS")
})

test("reports the open-order limit before the margin check", () => {
  const scene = make({ maxOpenOrdersPerAccount: 0 })
  scene.price(aapl, 200)
  assert.strictEqual(scene.placed("BUY", 1, 200).finding, "REJECTED_TOO_MANY_OPEN_ORDERS")
})

test("limits the open orders of each account separately", () => {
  const scene = funded({ maxOpenOrdersPerAccount: 1 })
  scene.ask({ _tag: "OpenAccount", accountId: AccountId.make("sub") })
  scene.credit(1_000, UserId.make("sub"))
  assert.isNull(scene.placed("BUY", 1, 190).finding)
  assert.isNull(scene.placed("BUY", 1, 190, { accountId: AccountId.make("sub") }).finding)
})

test("I27: checks a modify with the order's new state instead of the old, and holds the difference in margin", () => {
  const scene = make()
  scene.credit(41)
  scene.price(aapl, 200)
  const order = scene.accept(scene.placed("BUY", 1, 200))
  const command = scene.modification(order, 0, 2) as Modify
  assert.deepInclude(command as object, { _tag: "Modify", finding: null, priceTicks: 0, quantityLots: 2_000 })
  assert.strictEqual(scene.balance().orderMargin, usd(40))
  assert.strictEqual((scene.modification(order, 0, 3) as Modify).finding, "FAILED_MARGIN_CHECK")
  scene.modified(command, order)
  assert.strictEqual(scene.balance().orderMargin, usd(40))
  assert.isTrue(Ledger.order(scene.trader, primaryAccountOf(alice), aapl, order.orderId.text)?.order.modified)
})

test("releases a refused modify's margin difference and keeps the order", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 1, 200))
  const command = scene.modification(order, 205, 2)
  assert.strictEqual(scene.balance().orderMargin, usd(41 + 10))
  scene.refuse(command, "REJECTED_WOULD_BREACH_MAX_NOTIONAL")
  assert.strictEqual(scene.balance().orderMargin, usd(20))
  assert.isFalse(Ledger.order(scene.trader, primaryAccountOf(alice), aapl, order.orderId.text)?.order.modified)
})

test("holds the old state's margin while a modify to a smaller order is in flight", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 2, 200))
  const command = scene.modification(order, 190, 1) as Modify
  assert.strictEqual(scene.balance().orderMargin, usd(40))
  scene.modified(command, order)
  assert.strictEqual(scene.balance().orderMargin, usd(19))
})

test("holds margin for the most expensive of several in-flight modifies", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 1, 200))
  const first = scene.modification(order, 0, 3) as Modify
  const second = scene.modification(order, 0, 2) as Modify
  assert.strictEqual(scene.balance().orderMargin, usd(60))
  const between = scene.modified(first, order)
  assert.strictEqual(scene.balance().orderMargin, usd(60))
  scene.modified(second, between)
  assert.strictEqual(scene.balance().orderMargin, usd(40))
})

test("accepts a modify to a smaller quantity at the same price even if nothing is available", () => {
  const scene = make()
  scene.credit(21)
  scene.price(aapl, 200)
  const order = scene.accept(scene.placed("BUY", 1, 200))
  scene.price(aapl, 100)
  assert.isTrue(scene.balance().available < 0n)
  assert.isNull((scene.modification(order, 0, 0.5) as Modify).finding)
  assert.strictEqual((scene.modification(order, 199, 0.5) as Modify).finding, "FAILED_MARGIN_CHECK")
})

test("replaces the margin hold of an in-flight order when that order is modified", () => {
  const scene = funded()
  const placing = scene.placed("BUY", 1, 200)
  const order = { ...scene.accept(placing), remainingLots: 1_000 }
  const next = scene.placed("BUY", 1, 200)
  const command = scene.modification({ ...order, orderId: orderIdFrom(next.commandId) }, 0, 3) as Modify
  assert.isNull(command.finding)
  assert.strictEqual(scene.balance().orderMargin, usd(80))
  scene.refuse(next, "REJECTED_OPEN_INTEREST_LIMIT")
  scene.refuse(command, "CANNOT_MODIFY_NO_SUCH_ORDER")
  assert.strictEqual(scene.balance().orderMargin, usd(20))
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
})

test("holds no margin for a modify of an unknown order, which cannot enter the book", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 1, 200))
  scene.end(order)
  assert.strictEqual((scene.modification(order, 201, 0) as Modify).finding, "FAILED_MARGIN_CHECK")
  assert.strictEqual(scene.balance().orderMargin, 0n)
})

test("reports an invalid tick or lot size in a modify, unless the order cannot be modified at all", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 2, 200))
  const status = (more: object, price = 200.001, quantity = 0) =>
    (scene.modification({ ...order, ...more }, price, quantity) as Refuse).status
  assert.strictEqual(status({}), "INVALID_TICK_SIZE_PRECISION_PRICE")
  assert.strictEqual(status({}, 0, 0.0005), "INVALID_TICK_SIZE_PRECISION_QUANTITY")
  assert.strictEqual(status({}, 0, -1), "QUANTITY_LESS_THAN_MIN_QUANTITY")
  assert.strictEqual(status({ side: "SELL" }), "CANNOT_MODIFY_NO_SUCH_ORDER")
  assert.strictEqual(status({ orderId: id("none") }), "CANNOT_MODIFY_NO_SUCH_ORDER")
  assert.strictEqual((scene.modification(order, 200.001, 0) as Refuse).echo.orderId, order.orderId.text)
  scene.trade(order, 1_000, 20_000)
  assert.strictEqual(status({}), "CANNOT_MODIFY_PARTIAL_FILL")
})

test.each<[string, (open: string) => string]>([
  ["an id that is not a UUID", () => "mine"],
  ["the id of an open order in upper case", (open) => open.toUpperCase()]
])("refuses a cancel or modify of %s, and echoes the id that the client sent", (_, spelled) => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 1, 200, { clientOrderId: "mine" }))
  const orderId = spelled(order.orderId.text)
  const cancel = scene.cancellation(orderId)
  assert.deepStrictEqual(cancel, {
    _tag: "Refuse",
    commandId: id("cancel"),
    expiresAtMillis: 60_000,
    traderEpoch: 1,
    userId: alice,
    accountId: primaryAccountOf(alice),
    status: "NO_SUCH_ORDER",
    echo: { ...noEcho, orderId }
  })
  const modify = scene.modification(order, 201, 2, { commandId: id("modify"), orderId })
  assert.deepStrictEqual(modify, {
    _tag: "Refuse",
    commandId: id("modify"),
    expiresAtMillis: 60_000,
    traderEpoch: 1,
    userId: alice,
    accountId: primaryAccountOf(alice),
    status: "CANNOT_MODIFY_NO_SUCH_ORDER",
    echo: { ...noEcho, orderId, side: "BUY", type: "LIMIT", price: 201, quantity: 2 }
  })
  assert.strictEqual(scene.balance().orderMargin, usd(20))
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 2)
  scene.refuse(cancel, "NO_SUCH_ORDER")
  scene.refuse(modify, "CANNOT_MODIFY_NO_SUCH_ORDER")
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
})

test("sends a cancel with the order id, or with the client order id", () => {
  const scene = funded()
  const order = scene.accept(scene.placed("BUY", 1, 200))
  const { text } = order.orderId
  assert.deepInclude(scene.cancellation(text) as object, { _tag: "Cancel", orderId: order.orderId, clientOrderId: "" })
  for (const clientOrderId of ["mine", text, text.toUpperCase()]) {
    const command = scene.cancellation(clientOrderId, true)
    assert.deepInclude(command as object, { _tag: "Cancel", orderId: null, clientOrderId })
  }
})

test("registers cancels, cancel-alls and closes as in flight without a margin hold", () => {
  const scene = make()
  const common = { expiresAtMillis: 0, accountId: primaryAccountOf(alice), symbol: aapl }
  const requests: ReadonlyArray<OrderRequest> = [
    { _tag: "CancelOrder", commandId: id("1"), ...common, orderId: "one", byClientOrderId: true },
    { _tag: "CancelAllOrders", commandId: id("2"), ...common, cause: "REQUEST" },
    { _tag: "ClosePosition", commandId: id("3"), ...common, clientOrderId: "flat", builderCode: "" }
  ]
  const commands = requests.map((request) => Ledger.enter(scene.trader, request, 7))
  assert.deepStrictEqual(
    commands.map(({ _tag }) => _tag),
    ["Cancel", "CancelAll", "Close"]
  )
  assert.deepInclude(commands[0] as object, { orderId: null, clientOrderId: "one", traderEpoch: 7, userId: alice })
  assert.deepInclude(commands[2] as object, { clientOrderId: "flat", finding: null, takerRate: 100_000 })
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 3)
  for (const { commandId } of commands) scene.done(commandId)
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), aapl), 0)
})

test("refuses each command for an unlisted symbol with the command's own status, and does not register it as in flight", () => {
  const scene = make()
  const common = {
    commandId: id("1"),
    expiresAtMillis: 0,
    accountId: primaryAccountOf(alice),
    symbol: MarketSymbol.make("NONE-USD")
  }
  const status = (request: OrderRequest) => (Ledger.enter(scene.trader, request, 1) as Refuse).status
  assert.strictEqual(
    status({ _tag: "CancelOrder", ...common, orderId: id("one").text, byClientOrderId: false }),
    "NO_SUCH_ORDER"
  )
  assert.strictEqual(status({ _tag: "ClosePosition", ...common, clientOrderId: "", builderCode: "" }), "BAD_SYMBOL")
  assert.strictEqual(
    status({
      _tag: "ModifyOrder",
      ...common,
      orderId: id("one").text,
      side: "BUY",
      type: "LIMIT",
      price: 1,
      quantity: 1,
      reduceOnly: false
    }),
    "CANNOT_MODIFY_NO_SUCH_ORDER"
  )
  assert.strictEqual(Ledger.pending(scene.trader, primaryAccountOf(alice), MarketSymbol.make("NONE-USD")), 0)
})
